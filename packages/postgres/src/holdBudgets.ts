/** Holds what requests may cost: one call locks the windows in one order, decides on what they hold when it has them, holds. */
import { BudgetInterval } from "@gatewarden/contract"
import type { Budget, BudgetState, BudgetWarning, HoldOutcome, HoldRequest, Spender } from "@gatewarden/core/effect"
import { formatInstant } from "@gatewarden/core/effect"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { arrayLiteral } from "./arrayLiteral.ts"
import { spentKinds, spentPercents, warningOf, type WarningRow } from "./budgetWarnings.ts"
import { placesIn, stateOf, type WindowName, windowsOf } from "./budgetWindows.ts"

/** A budget as it is kept with a hold: what settling it needs. `n` is its window among the hold's, from 1. */
export interface KeptBudget extends Omit<Budget, "limit_nanos"> {
  readonly limit_nanos: string
  readonly n: number
}

/** `limit_nanos` as text: JSON has no exact integer of that size. */
const kept = (budgets: readonly Budget[]): string => {
  const { indices } = windowsOf(budgets)
  return JSON.stringify(
    budgets.map(({ scope, entity, guardrail_id, interval, limit_nanos, include_byok }, index): KeptBudget => ({
      scope,
      entity,
      guardrail_id,
      interval,
      include_byok,
      limit_nanos: limit_nanos.toString(),
      n: indices[index] ?? 0
    }))
  )
}

/** `taken`: something is or was held under the id already, and stays as it is. */
export type Held = HoldOutcome | "taken"

/** Why nothing was decided: a window is not there yet, or a hold has expired unseen. */
export type Undecided = "missing" | "stale"

/** Columns of windows and of requests, each in its order. */
interface Decided {
  readonly verdict: "decided"
  /** Epoch milliseconds. */
  readonly at: string
  readonly windows: {
    readonly starts: readonly (string | null)[]
    readonly spent: readonly string[] | null
    readonly byok_spent: readonly string[] | null
    readonly held: readonly string[] | null
    readonly full_held: readonly string[] | null
  }
  /** `null` where nothing was held. */
  readonly amounts: readonly (string | null)[]
  readonly full_amounts: readonly (string | null)[]
  /** From 1. */
  readonly taken: readonly number[]
  readonly warnings: readonly WarningRow[]
}

type Answer = Decided | { readonly verdict: Undecided }

/** Requests of one key come with one list of budgets, however often it was made anew. */
const listKey = ({ workspace_id, key_hash, user_id, budgets }: HoldRequest): string =>
  budgets.reduce(
    (key, { scope, entity, guardrail_id, interval, limit_nanos, include_byok }) =>
      `${key}\n${scope} ${entity} ${guardrail_id} ${interval} ${limit_nanos} ${include_byok}`,
    `${workspace_id} ${key_hash} ${user_id}`
  )

/** The windows in which a request may be charged, whichever budgets watch them. */
const chargedWindows = ({ key_hash, user_id, workspace_id }: HoldRequest): readonly WindowName[] => {
  const spenders: readonly (readonly [Spender, string | null])[] = [
    ["key", key_hash],
    ["user", user_id],
    ["workspace", workspace_id]
  ]
  return spenders.flatMap(([spender, entity]) =>
    entity === null ? [] : BudgetInterval.options.map((interval) => ({ spender, entity, interval }))
  )
}

/** The names of all windows, those that budgets watch first, and for each list the places of its own, its budgets' first, from 1. */
const namesOf = (lists: readonly HoldRequest[], watched: readonly WindowName[]) => {
  const names = [...watched]
  const placeOf = placesIn(names)
  const own = lists.map((list) => [
    ...new Set([...windowsOf(list.budgets).names, ...chargedWindows(list)].map(placeOf))
  ])
  return { names, own }
}

/** The distinct lists of budgets, and for each request which of them is its own, from 0. */
const listsOf = (requests: readonly HoldRequest[]) => {
  const places = new Map<string, number>()
  const lists: HoldRequest[] = []
  const own = requests.map((request) => {
    const key = requests.length === 1 ? "" : listKey(request)
    const place = places.get(key) ?? lists.push(request) - 1
    places.set(key, place)
    return place
  })
  return { lists, own }
}

const endsOf = (lengths: readonly number[]): readonly number[] => {
  let end = 0
  return lengths.map((length) => (end += length))
}

/** By hand, since fragments cost ten times as much. */
const text = `select gatewarden_hold_budgets($1::uuid, $2::timestamptz, $3::boolean, $4::text[], $5::text[], $6::text[], $7::int,
  $8::jsonb[], $9::text[], $10::text[], $11::uuid[], $12::int[], $13::int[], $14::int[], $15::int[], $16::numeric[], $17::boolean[],
  $18::text[], $19::int[], $20::int[], $21::int[], $22::numeric[], $23::boolean[], $24::text[], $25::int[]) as answer`

/** What the windows held before each request was decided, as the function reckons it. */
const outcomesOf = (
  requests: readonly HoldRequest[],
  indices: readonly number[],
  firsts: readonly number[],
  charged: readonly (readonly number[])[],
  { at, windows, amounts, full_amounts, taken }: Decided
): readonly Held[] => {
  const rows = windows.starts.map((start, index) => ({
    start,
    spent_nanos: windows.spent?.[index] ?? "0",
    byok_spent_nanos: windows.byok_spent?.[index] ?? "0",
    held_nanos: windows.held?.[index] ?? "0",
    full_held_nanos: windows.full_held?.[index] ?? "0"
  }))
  /** By window, what the requests before were given. */
  const given = rows.map(() => ({ nanos: 0n, full: 0n }))
  return requests.map(({ budgets, hold_seconds }, index): Held => {
    if (taken.includes(index + 1)) return "taken"
    const places = budgets.map((_, nth) => (indices[(firsts[index] ?? 0) + nth] ?? 1) - 1)
    const states = budgets.flatMap((budget, nth): readonly BudgetState[] => {
      const row = rows[places[nth] ?? 0]
      if (row === undefined) return []
      const state = stateOf(budget, row)
      const before = given[places[nth] ?? 0]?.[budget.include_byok ? "full" : "nanos"] ?? 0n
      return [{ ...state, held_nanos: state.held_nanos + before }]
    })
    const [printed, full_printed] = [amounts[index], full_amounts[index]]
    if (printed == null || full_printed == null) return { held: false, states }
    const [nanos, full] = [BigInt(printed), BigInt(full_printed)]
    for (const place of charged[index] ?? []) {
      const window = given[place - 1]
      if (window === undefined) continue
      window.nanos += nanos
      window.full += full
    }
    return {
      held: true,
      states,
      holds: states.map(({ budget, window_start }) => ({
        budget,
        window_start,
        nanos: budget.include_byok ? full : nanos
      })),
      expires_at: formatInstant(Number(at) + hold_seconds * 1000)
    }
  })
}

/**
 * The windows are locked by all that hold there, and requests are decided one after another. Nothing is locked unless every window
 * is there and, if `swept` says so, no hold has expired unseen.
 */
export const holdBudgets =
  (sql: SqlClient.SqlClient) =>
  (account_id: string, requests: readonly HoldRequest[], now: string | null, swept: boolean) => {
    const { lists, own } = listsOf(requests)
    const all = lists.flatMap(({ budgets }) => budgets)
    const { names: watched, indices } = windowsOf(all)
    const { names, own: ownWindows } = namesOf(lists, watched)
    const ends = endsOf(lists.map(({ budgets }) => budgets.length))
    const costs = requests.flatMap((request) => request.costs)
    const parameters = [
      account_id,
      now,
      swept,
      arrayLiteral(names.map(({ spender }) => spender)),
      arrayLiteral(names.map(({ entity }) => entity)),
      arrayLiteral(names.map(({ interval }) => interval)),
      watched.length,
      arrayLiteral(lists.map(({ budgets }) => kept(budgets))),
      arrayLiteral(lists.map(({ key_hash }) => key_hash)),
      arrayLiteral(lists.map(({ user_id }) => user_id)),
      arrayLiteral(lists.map(({ workspace_id }) => workspace_id)),
      arrayLiteral(endsOf(ownWindows.map((places) => places.length))),
      arrayLiteral(ownWindows.flat()),
      arrayLiteral(ends),
      arrayLiteral(indices),
      arrayLiteral(all.map(({ limit_nanos }) => limit_nanos)),
      arrayLiteral(all.map(({ include_byok }) => include_byok)),
      arrayLiteral(requests.map(({ admission_id }) => admission_id)),
      arrayLiteral(own.map((place) => place + 1)),
      arrayLiteral(requests.map(({ hold_seconds }) => hold_seconds)),
      arrayLiteral(endsOf(requests.map((request) => request.costs.length))),
      arrayLiteral(costs.map(({ nanos }) => nanos)),
      arrayLiteral(costs.map(({ byok }) => byok)),
      spentKinds,
      spentPercents
    ]
    const firsts = own.map((place) => (place === 0 ? 0 : (ends[place - 1] ?? 0)))
    // What is there of them comes in their order, those that budgets watch first, and no others are looked at.
    const charged = own.map((place) => ownWindows[place]?.filter((window) => window <= watched.length) ?? [])
    return Effect.map(sql.unsafe<{ readonly answer: Answer }>(text, parameters), ([row]) => {
      const answer = row?.answer
      if (answer?.verdict !== "decided") return answer?.verdict ?? "missing"
      const warnings: readonly BudgetWarning[] = answer.warnings.map(warningOf)
      return { outcomes: outcomesOf(requests, indices, firsts, charged, answer), warnings }
    })
  }
