/**
 * Holds the maximum cost of requests: one call locks the windows of all requests in one order, then decides, then holds. Its parameters and
 * results are by slot: each spender (a key, a user, a workspace, a user in a workspace) has one slot for each interval, and the slots of one interval stand
 * together.
 */
import { budgetIntervals, rowOfInterval } from "@gatewarden/contract"
import {
  type Budget,
  type BudgetState,
  type BudgetWarning,
  formatInstant,
  type HoldOutcome,
  type HoldRequest,
  packSize,
  isOfUser,
  type Spender,
  spenderNameOf,
  spenderOf,
  spenders,
  spendersOf
} from "@gatewarden/core/store"
import { Effect } from "effect"
import { arrayLiteral } from "../statements/literals.ts"
import type { Run } from "../statements/FixedStatements.ts"
import { type BudgetLists, type WarningRow, spentKinds, spentPercents, warningOf } from "./budgetLists.ts"
import { stateOf } from "./budgetWindows.ts"

/** `taken`: a hold with this id exists or existed; it is unchanged. */
export type Held = HoldOutcome | "taken"

/** Why nothing was decided: a window does not exist yet, or a hold has expired and was not released yet. */
export type Undecided = "missing" | "stale"

/** How a call waits: `millis` for each lock, by default as long as the session does; `isEnclosed` within a transaction of the host. */
export interface Waits {
  readonly millis: number | null
  readonly isEnclosed: boolean
}

interface Decided {
  readonly verdict: "decided"
  /** Epoch milliseconds. */
  readonly at: string
  /** Columns of the windows that were found. Null where there was none. */
  readonly windows: {
    readonly slots: readonly number[] | null
    readonly starts: readonly (string | null)[]
    readonly spent: readonly string[] | null
    readonly byok_spent: readonly string[] | null
    readonly held: readonly string[] | null
    readonly full_held: readonly string[] | null
  }
  /** Ids of the lists of budgets. */
  readonly lists: readonly string[]
  /** `null` where nothing was held. Absent where everything fitted: each request holds the most that it may cost. */
  readonly amounts?: readonly (string | null)[]
  readonly full_amounts?: readonly (string | null)[]
  /** From 1. */
  readonly taken?: readonly number[]
  readonly warnings?: readonly WarningRow[]
}

type Answer = Decided | { readonly verdict: Undecided }

/** `limit_nanos` as text: JSON has no exact integer of that size. */
const printed = (budgets: readonly Budget[]): string =>
  JSON.stringify(
    budgets.map(({ scope, entity, guardrail_id, interval, limit_nanos, include_byok }) => ({
      scope,
      entity,
      guardrail_id,
      interval,
      include_byok,
      limit_nanos: limit_nanos.toString()
    }))
  )

const ownerOf = ({ key_hash, user_id, workspace_id }: HoldRequest) => spendersOf(key_hash, user_id, workspace_id)

const least = (one: bigint | undefined, other: bigint): bigint => (one === undefined || other < one ? other : one)

/** What a request holds if every candidate fits: the cost of the dearest candidate, of shared capacity and of all. */
const mostOf = ({ costs }: HoldRequest) => {
  let [most, full] = [0n, 0n]
  for (const { nanos, byok } of costs) {
    if (nanos > full) full = nanos
    if (!byok && nanos > most) most = nanos
  }
  return { most, full }
}

/** A distinct list of budgets of requests that share a key, a user and a workspace. */
interface List {
  readonly text: string
  readonly budgets: readonly Budget[]
  /** The place of each budget's spender. */
  readonly spenders: readonly number[]
  readonly member: string | null
  readonly isPlain: boolean
}

/** Gathers requests into the columns that the function takes, places and slots from 1. */
const gather = (requests: readonly HoldRequest[]) => {
  const places = new Map<string, number>()
  const kinds: Spender[] = []
  const entities: string[] = []
  const added: bigint[] = []
  const fullAdded: bigint[] = []
  const placeOf = (spender: Spender, entity: string): number => {
    const key = `${spender} ${entity}`
    const known = places.get(key)
    if (known !== undefined) return known
    const place = kinds.push(spender)
    entities.push(entity)
    added.push(0n)
    fullAdded.push(0n)
    places.set(key, place)
    return place
  }
  const lists: List[] = []
  const placesOfLists = new Map<string, number>()
  const listOf = (request: HoldRequest): number => {
    const text = printed(request.budgets)
    const owner = ownerOf(request)
    const key = `${owner.key} ${owner.user} ${owner.workspace} ${text}`
    const known = placesOfLists.get(key)
    if (known !== undefined) return known
    const names = request.budgets.map(
      (budget) => [spenderOf(budget), spenderNameOf(budget, request.workspace_id)] as const
    )
    const place = lists.push({
      text,
      budgets: request.budgets,
      spenders: names.map(([spender, name]) => placeOf(spender, name)),
      member: request.budgets.find(isOfUser)?.entity ?? null,
      isPlain: names.every(([spender, name]) => owner[spender] === name)
    })
    placesOfLists.set(key, place)
    return place
  }
  const gathered = requests.map((request) => {
    const owner = ownerOf(request)
    const { most, full } = mostOf(request)
    const own = spenders.map((spender) => {
      const entity = owner[spender]
      if (entity === null) return null
      const place = placeOf(spender, entity)
      added[place - 1] = (added[place - 1] ?? 0n) + most
      fullAdded[place - 1] = (fullAdded[place - 1] ?? 0n) + full
      return place
    })
    return { request, own, most, full, list: listOf(request) }
  })
  const limits: (bigint | undefined)[] = []
  const fullLimits: (bigint | undefined)[] = []
  const slotOf = (budget: Budget, place: number): number => {
    const slot = (rowOfInterval(budget.interval).place - 1) * kinds.length + place
    const least_of = budget.include_byok ? fullLimits : limits
    least_of[slot - 1] = least(least_of[slot - 1], budget.limit_nanos)
    return slot
  }
  const slotsOf = (list: List): readonly number[] =>
    list.budgets.map((budget, nth) => slotOf(budget, list.spenders[nth] ?? 0))
  const listed = lists.map((list) => ({ ...list, slots: slotsOf(list) }))
  const slots = Array.from({ length: kinds.length * budgetIntervals.length }, (_, index) => index)
  return {
    spenders: kinds,
    entities,
    added,
    fullAdded,
    limits: slots.map((slot) => limits[slot]),
    fullLimits: slots.map((slot) => fullLimits[slot]),
    needed: slots.filter((slot) => limits[slot] !== undefined || fullLimits[slot] !== undefined).length,
    lists: listed,
    requests: gathered
  }
}

type Gathered = ReturnType<typeof gather>

const endsOf = (lengths: readonly number[]): readonly number[] => {
  let end = 0
  return lengths.map((length) => (end += length))
}

/** By hand, since fragments cost ten times as much. One row: `answer`. */
const text = `select gatewarden_hold_requests($1::uuid, $2::timestamptz, $3::boolean, $4::boolean, $5::boolean, $6::int, $7::text[],
  $8::text[], $9::numeric[], $10::numeric[], $11::numeric[], $12::numeric[], $13::int, $14::text[], $15::int[], $16::int[],
  $17::numeric[], $18::boolean[], $19::text[], $20::boolean[], $21::text[], $22::int[], $23::text[], $24::text[], $25::uuid[],
  $26::int[], $27::int[], $28::numeric[], $29::numeric[], $30::int[], $31::numeric[], $32::boolean[], $33::text[],
  $34::int[], $35::text[], $36::boolean[]) as answer`

/** What the windows held before each request was decided, as the function reckons it. */
const outcomesOf = ({ spenders: kinds, lists, requests }: Gathered, decided: Decided): readonly Held[] => {
  const { at, windows, amounts, full_amounts, taken = [] } = decided
  /** By slot: a window, and what the requests before were given there. */
  const found = new Map(
    (windows.slots ?? []).map((slot, index) => [
      slot,
      {
        start: windows.starts[index] ?? null,
        spent_nanos: windows.spent?.[index] ?? "0",
        byok_spent_nanos: windows.byok_spent?.[index] ?? "0",
        held_nanos: windows.held?.[index] ?? "0",
        full_held_nanos: windows.full_held?.[index] ?? "0",
        given: 0n,
        full_given: 0n
      }
    ])
  )
  return requests.map(({ request, own, most, full, list }, index): Held => {
    if (taken.includes(index + 1)) return "taken"
    const slots = lists[list - 1]?.slots ?? []
    const states = request.budgets.flatMap((budget, nth): readonly BudgetState[] => {
      const row = found.get(slots[nth] ?? 0)
      if (row === undefined) return []
      const state = stateOf(budget, row)
      return [{ ...state, held_nanos: state.held_nanos + (budget.include_byok ? row.full_given : row.given) }]
    })
    const amount = amounts === undefined ? most : amounts[index]
    const full_amount = full_amounts === undefined ? full : full_amounts[index]
    if (amount == null || full_amount == null) return { held: false, states }
    const [nanos, full_nanos] = [BigInt(amount), BigInt(full_amount)]
    for (const place of own) {
      if (place === null) continue
      for (let slot = place; slot <= kinds.length * budgetIntervals.length; slot += kinds.length) {
        const row = found.get(slot)
        if (row === undefined) continue
        row.given += nanos
        row.full_given += full_nanos
      }
    }
    return {
      held: true,
      states,
      holds: states.map(({ budget, window_start }) => ({
        budget,
        window_start,
        nanos: budget.include_byok ? full_nanos : nanos
      })),
      expires_at: formatInstant(Number(at) + request.hold_seconds * 1000)
    }
  })
}

/**
 * The windows are locked by all that hold there. Where everything fits, all requests are held at once; else they are decided one after
 * another, each on what those before it have left.
 */
export const holdBudgets =
  (write: Run, known: BudgetLists) =>
  (
    account_id: string,
    asked: readonly HoldRequest[],
    now: string | null,
    swept: boolean,
    { millis, isEnclosed }: Waits
  ) => {
    const gathered = gather(asked)
    const { lists, requests } = gathered
    const isSimple =
      new Set(asked.map(({ admission_id }) => admission_id)).size === asked.length &&
      asked.every(({ costs }) => costs.length > 0)
    const budgets = lists.flatMap((list) => list.budgets)
    const costs = asked.flatMap((request) => request.costs)
    const parameters = [
      account_id,
      now,
      swept,
      isSimple,
      isEnclosed,
      millis,
      arrayLiteral(gathered.spenders),
      arrayLiteral(gathered.entities),
      arrayLiteral(gathered.added),
      arrayLiteral(gathered.fullAdded),
      arrayLiteral(gathered.limits),
      arrayLiteral(gathered.fullLimits),
      gathered.needed,
      arrayLiteral(lists.map((list) => list.text)),
      arrayLiteral(endsOf(lists.map((list) => list.budgets.length))),
      arrayLiteral(lists.flatMap(({ slots }) => slots)),
      arrayLiteral(budgets.map(({ limit_nanos }) => limit_nanos)),
      arrayLiteral(budgets.map(({ include_byok }) => include_byok)),
      arrayLiteral(lists.map(({ member }) => member)),
      arrayLiteral(lists.map(({ isPlain }) => isPlain)),
      arrayLiteral(asked.map(({ admission_id }) => admission_id)),
      arrayLiteral(requests.map(({ list }) => list)),
      arrayLiteral(asked.map(({ key_hash }) => key_hash)),
      arrayLiteral(asked.map(({ user_id }) => user_id)),
      arrayLiteral(asked.map(({ workspace_id }) => workspace_id)),
      arrayLiteral(requests.flatMap(({ own }) => own)),
      arrayLiteral(asked.map(({ hold_seconds }) => hold_seconds)),
      arrayLiteral(requests.map(({ most }) => most)),
      arrayLiteral(requests.map(({ full }) => full)),
      arrayLiteral(endsOf(asked.map((request) => request.costs.length))),
      arrayLiteral(costs.map(({ nanos }) => nanos)),
      arrayLiteral(costs.map(({ byok }) => byok)),
      spentKinds,
      spentPercents,
      arrayLiteral(asked.map(({ size }) => (size === undefined ? null : packSize(size)))),
      arrayLiteral(asked.map(({ on_expiry }) => on_expiry === "charge"))
    ]
    return Effect.map(write(text, parameters), ([row]) => {
      const answer = row?.["answer"] as Answer | undefined
      if (answer?.verdict !== "decided") return answer?.verdict ?? "missing"
      for (const [index, id] of answer.lists.entries()) known.learn(id, lists[index]?.budgets ?? [])
      const warnings: readonly BudgetWarning[] = (answer.warnings ?? []).map(warningOf)
      return { outcomes: outcomesOf(gathered, answer), warnings }
    })
  }
