/**
 * Holds the maximum cost of requests: one call locks the windows of all requests in one order, then decides, then holds. A budget names its
 * window by a slot: each spender (a key, a user, a workspace, a user in a workspace) has one slot for each interval, and the slots of one
 * interval stand together.
 */
import { rowOfInterval } from "@gatewarden/contract/internal"
import {
  type Budget,
  type BudgetState,
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
} from "@gatewarden/core/internal"
import { Effect } from "effect"
import { arrayLiteral, jsonLiteral } from "../statements/literals.ts"
import type { Run } from "../statements/FixedStatements.ts"
import { type BudgetLists, type WarningRow, warningOf } from "./budgetLists.ts"

/** `taken`: a hold with this id exists or existed; it is unchanged. */
export type Held = HoldOutcome | "taken"

/** Why nothing was decided: a window does not exist yet, or a hold has expired and was not released yet. */
export type Undecided = "missing" | "stale"

/** How a call waits: `millis` for each lock, by default as long as the session does; `isEnclosed` within a transaction of the host. */
export interface Waits {
  readonly millis: number | null
  readonly isEnclosed: boolean
}

/** What the function decided, with amounts as text. Columns in the order of the requests; those of budgets list those of all requests. */
interface Decided {
  readonly verdict: "decided"
  /** Epoch milliseconds. */
  readonly at: string
  /** Ids of the lists of budgets. */
  readonly lists: readonly string[]
  /** `null`: nothing was held. */
  readonly nanos: readonly (string | null)[]
  readonly full_nanos: readonly (string | null)[]
  /** Requests whose id is used, from 1. */
  readonly taken: readonly number[]
  /** The states of budgets when their request was decided; `null`: there is no budget. */
  readonly starts: readonly (string | null)[] | null
  readonly spent: readonly string[] | null
  readonly held: readonly string[] | null
  readonly warnings: readonly WarningRow[]
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

/** A distinct list of budgets of requests that share a key, a user and a workspace. */
interface List {
  readonly place: number
  readonly text: string
  readonly budgets: readonly Budget[]
  /** The place of each budget's spender. */
  readonly spenders: readonly number[]
  readonly member: string | null
  readonly isPlain: boolean
}

/** The spenders of requests and the distinct lists of their budgets, as they come. Places are from 1. */
class Gathered {
  readonly spenders: Spender[] = []
  readonly entities: string[] = []
  readonly lists: List[] = []
  readonly #places = new Map<string, number>()
  readonly #lists = new Map<string, List>()

  placeOf(spender: Spender, entity: string): number {
    const key = `${spender} ${entity}`
    const known = this.#places.get(key)
    if (known !== undefined) return known
    const place = this.spenders.push(spender)
    this.entities.push(entity)
    this.#places.set(key, place)
    return place
  }

  listOf({ budgets, workspace_id }: HoldRequest, owner: ReturnType<typeof ownerOf>): List {
    const text = printed(budgets)
    const key = `${owner.key} ${owner.user} ${owner.workspace} ${text}`
    const known = this.#lists.get(key)
    if (known !== undefined) return known
    const names = budgets.map((budget) => [spenderOf(budget), spenderNameOf(budget, workspace_id)] as const)
    const list: List = {
      place: this.lists.length + 1,
      text,
      budgets,
      spenders: names.map(([spender, name]) => this.placeOf(spender, name)),
      member: budgets.find(isOfUser)?.entity ?? null,
      isPlain: names.every(([spender, name]) => owner[spender] === name)
    }
    this.lists.push(list)
    this.#lists.set(key, list)
    return list
  }
}

/** The spenders, lists and requests as the function takes them. */
const gather = (requests: readonly HoldRequest[]) => {
  const gathered = new Gathered()
  const placed = requests.map((request) => {
    const owner = ownerOf(request)
    const own = spenders.map((spender) => {
      const entity = owner[spender]
      return entity === null ? null : gathered.placeOf(spender, entity)
    })
    return { request, own, list: gathered.listOf(request, owner) }
  })
  const count = gathered.spenders.length
  const rows = placed.map(({ request, own, list }) => ({
    id: request.admission_id,
    list: list.place,
    key_hash: request.key_hash,
    user_id: request.user_id,
    workspace_id: request.workspace_id,
    own,
    budget_slots: list.budgets.map(
      ({ interval }, nth) => (rowOfInterval(interval).place - 1) * count + (list.spenders[nth] ?? 0)
    ),
    limits: list.budgets.map(({ limit_nanos }) => limit_nanos.toString()),
    counts_byok: list.budgets.map(({ include_byok }) => include_byok),
    costs: request.costs.map(({ nanos }) => nanos.toString()),
    is_byok: request.costs.map(({ byok }) => byok),
    seconds: request.hold_seconds,
    member: list.member,
    is_plain: list.isPlain,
    size: request.size === undefined ? null : packSize(request.size),
    is_charged_on_expiry: request.on_expiry === "charge"
  }))
  const { spenders: kinds, entities, lists } = gathered
  return { spenders: kinds, entities, lists, rows, needed: [...new Set(rows.flatMap((row) => row.budget_slots))] }
}

/** By hand, since fragments cost ten times as much. One row: `answer`. */
const text = `select gatewarden_hold_requests($1::uuid, $2::timestamptz, $3::boolean, $4::boolean, $5::int, $6::text[], $7::text[],
  $8::int[], $9::text[], $10::json) as answer`

/** The answer to each request. */
const printedOutcomes = (asked: readonly HoldRequest[], decided: Decided): readonly Held[] => {
  let budgetsBefore = 0
  return asked.map(({ budgets, hold_seconds }, index): Held => {
    const first = budgetsBefore
    budgetsBefore += budgets.length
    if (decided.taken.includes(index + 1)) return "taken"
    const states = budgets.map((budget, nth): BudgetState => {
      const start = decided.starts?.[first + nth] ?? null
      return {
        budget,
        window_start: start === null ? null : Number(start),
        spent_nanos: BigInt(decided.spent?.[first + nth] ?? 0),
        held_nanos: BigInt(decided.held?.[first + nth] ?? 0)
      }
    })
    const [nanos, full_nanos] = [decided.nanos[index], decided.full_nanos[index]]
    if (nanos == null || full_nanos == null) return { held: false, states }
    return {
      held: true,
      states,
      holds: states.map(({ budget, window_start }) => ({
        budget,
        window_start,
        nanos: BigInt(budget.include_byok ? full_nanos : nanos)
      })),
      expires_at: formatInstant(Number(decided.at) + hold_seconds * 1000)
    }
  })
}

/** The windows are locked by all that hold there; requests are decided one after another, each on what those before it have left. */
export const holdBudgets =
  (write: Run, known: BudgetLists) =>
  (
    account_id: string,
    asked: readonly HoldRequest[],
    now: string | null,
    swept: boolean,
    { millis, isEnclosed }: Waits
  ) => {
    const { spenders: kinds, entities, needed, lists, rows } = gather(asked)
    const parameters = [
      account_id,
      now,
      swept,
      isEnclosed,
      millis,
      arrayLiteral(kinds),
      arrayLiteral(entities),
      arrayLiteral(needed),
      arrayLiteral(lists.map((list) => list.text)),
      jsonLiteral(rows)
    ]
    return Effect.map(write(text, parameters), ([row]) => {
      const answer = row?.["answer"] as Answer | undefined
      if (answer?.verdict !== "decided") return answer?.verdict ?? "missing"
      for (const [index, id] of answer.lists.entries()) known.learn(id, lists[index]?.budgets ?? [])
      return { outcomes: printedOutcomes(asked, answer), warnings: answer.warnings.map(warningOf) }
    })
  }
