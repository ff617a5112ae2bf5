import { Clock, Effect, Option } from "effect"
import { affords, type Budget, type BudgetState, type Cost, costTo } from "../enforcement/Budget.ts"
import { BudgetLedger, type ChargedAmount, type HeldAmount, type HoldRequest } from "../enforcement/BudgetLedger.ts"
import { type BudgetWarning, type BudgetWarningKind, dueBySpending } from "../enforcement/BudgetWarning.ts"
import { BudgetWarningFeed } from "../enforcement/BudgetWarningFeed.ts"
import { windowStart } from "../enforcement/budgetWindow.ts"
import { type Spender, spenderOf } from "../enforcement/spenderOf.ts"
import { formatInstant } from "../platform/timestamp.ts"
import type { UsageEvent } from "../usage/UsageEvent.ts"
import { type Tables, withoutOwner } from "./Tables.ts"

/** What an admission holds, and what became of it. */
interface HoldRow {
  readonly account_id: string
  /** Epoch milliseconds: the windows of this instant are charged, whenever it is settled. */
  readonly held_at: number
  /** It counts wherever its event will be charged, whichever budgets watch. */
  readonly entities: Readonly<Record<Spender, string | null>>
  readonly holds: readonly HeldAmount[]
  /** What is held where only shared capacity counts, and where the workspace's own credentials do too. */
  readonly nanos: bigint
  readonly full_nanos: bigint
  expires_at: number
  isOpen: boolean
}

/** What a warning says of its window. */
type NoticedState = Pick<BudgetWarning, "budget" | "window_start" | "spent_nanos" | "held_nanos">

const entityIn: Readonly<Record<Spender, (event: UsageEvent) => string | null>> = {
  key: ({ api_key_hash }) => api_key_hash,
  user: ({ user_id }) => user_id,
  workspace: ({ workspace_id }) => workspace_id
}

/** Whether an event is what a budget's entity spent. */
const concerns = (budget: Budget, event: UsageEvent): boolean => entityIn[spenderOf(budget)](event) === budget.entity

const largest = (amounts: readonly bigint[]): bigint =>
  amounts.reduce((most, amount) => (amount > most ? amount : most), 0n)

const chargeOf = (budget: Budget, { cost_nanos, byok_cost_nanos }: UsageEvent): bigint =>
  cost_nanos + costTo(budget, { nanos: byok_cost_nanos, byok: true })

/**
 * The reference: what a window has spent is the sum of the recorded events that are charged in it. An event is charged when it
 * was made, or when its money was held.
 */
export const budgetLedger = (tables: Tables) => {
  const holds = new Map<string, HoldRow>()
  const settled = new Map<string, { readonly charges: readonly ChargedAmount[]; readonly overdraft_nanos: bigint }>()
  const placeOf = (account_id: string, id: string) => `${account_id} ${id}`

  const spentOf = (account_id: string, budget: Budget, window_start: number | null): bigint => {
    let spent = 0n
    for (const event of tables.usageEvents.get(account_id)?.values() ?? []) {
      if (!concerns(budget, event)) continue
      const at = holds.get(placeOf(account_id, event.id))?.held_at ?? Date.parse(event.created_at)
      if (windowStart(budget.interval, at) === window_start) spent += chargeOf(budget, event)
    }
    return spent
  }

  const stateOf = (account_id: string, budget: Budget, now: number): BudgetState => {
    const window_start = windowStart(budget.interval, now)
    let held = 0n
    for (const row of holds.values()) {
      if (row.account_id !== account_id || !row.isOpen || row.expires_at <= now) continue
      if (row.entities[spenderOf(budget)] !== budget.entity) continue
      if (windowStart(budget.interval, row.held_at) === window_start)
        held += budget.include_byok ? row.full_nanos : row.nanos
    }
    return { budget, window_start, spent_nanos: spentOf(account_id, budget, window_start), held_nanos: held }
  }

  const warned = new Map<string, BudgetWarning & { readonly account_id: string }>()

  /** Records those that the window was not warned of yet, and answers them. */
  const warn = (
    account_id: string,
    workspace_id: string,
    now: number,
    due: readonly (readonly [BudgetWarningKind, NoticedState])[]
  ) => {
    const fresh = due.flatMap(([kind, state]): readonly BudgetWarning[] => {
      const { scope, entity, guardrail_id, interval } = state.budget
      const place = JSON.stringify([account_id, scope, entity, guardrail_id, interval, state.window_start, kind])
      if (warned.has(place)) return []
      const warning = { kind, ...state, workspace_id, created_at: formatInstant(now) }
      warned.set(place, { ...warning, account_id })
      return [warning]
    })
    return Effect.map(BudgetWarningFeed, (feed) => feed.publish(account_id, fresh))
  }

  return BudgetLedger.of({
    states: (account_id, _workspace_id, budgets) =>
      Effect.map(Clock.currentTimeMillis, (now) => budgets.map((budget) => stateOf(account_id, budget, now))),
    hold: Effect.fnUntraced(function* (
      account_id: string,
      { admission_id, workspace_id, key_hash, user_id, budgets, costs, hold_seconds }: HoldRequest
    ) {
      const held_at = yield* Clock.currentTimeMillis
      const states = budgets.map((budget) => stateOf(account_id, budget, held_at))
      const fitting = costs.filter((cost: Cost) => states.every((state) => affords(state, cost)))
      const isDenied = fitting.length === 0
      if (!isDenied && holds.has(placeOf(account_id, admission_id)))
        return yield* Effect.die(new Error("Something is or was held under this id already"))
      yield* warn(
        account_id,
        workspace_id,
        held_at,
        states.flatMap((state) => {
          const isShort = isDenied && costs.some((cost) => !affords(state, cost))
          const due = dueBySpending(state.budget.limit_nanos, state.spent_nanos)
          return [...due, ...(isShort ? (["denied"] as const) : [])].map((kind) => [kind, state] as const)
        })
      )
      if (isDenied) return { held: false, states } as const
      const nanos = largest(fitting.map((cost) => (cost.byok ? 0n : cost.nanos)))
      const full_nanos = largest(fitting.map((cost) => cost.nanos))
      const amounts = states.map(({ budget, window_start }): HeldAmount => ({
        budget,
        window_start,
        nanos: budget.include_byok ? full_nanos : nanos
      }))
      const expires_at = held_at + hold_seconds * 1000
      const entities = { key: key_hash, user: user_id, workspace: workspace_id }
      const row = { account_id, held_at, entities, holds: amounts, nanos, full_nanos, expires_at, isOpen: true }
      holds.set(placeOf(account_id, admission_id), row)
      return { held: true, holds: amounts, states, expires_at: formatInstant(expires_at) } as const
    }),
    renew: (account_id, admission_id, hold_seconds) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const row = holds.get(placeOf(account_id, admission_id))
        if (row === undefined || !row.isOpen || row.expires_at <= now) return Option.none()
        row.expires_at = now + hold_seconds * 1000
        return Option.some(formatInstant(row.expires_at))
      }),
    settle: Effect.fnUntraced(function* (account_id: string, sent: UsageEvent) {
      const place = placeOf(account_id, sent.id)
      const row = holds.get(place)
      if (row !== undefined) row.isOpen = false
      const before = settled.get(place)
      if (before !== undefined) return before
      const events = tables.usageEvents.get(account_id) ?? new Map<string, UsageEvent>()
      tables.usageEvents.set(account_id, events)
      const member = row?.holds.find(({ budget }) => budget.scope === "member")
      const event = member === undefined ? sent : { ...sent, user_id: member.budget.entity }
      // An id that was recorded otherwise has been paid for: the first wins.
      const isNew = !events.has(event.id)
      if (isNew) events.set(event.id, event)
      const charged = (isNew ? (row?.holds ?? []) : []).map(({ budget, window_start }) => {
        const spent_nanos = spentOf(account_id, budget, window_start)
        return { budget, window_start, spent_nanos, held_nanos: null }
      })
      const charges = charged.map(({ budget, window_start, spent_nanos }): ChargedAmount => {
        const nanos = chargeOf(budget, event)
        const above = spent_nanos - budget.limit_nanos
        return { budget, window_start, nanos, overdraft_nanos: above <= 0n ? 0n : above < nanos ? above : nanos }
      })
      const outcome = { charges, overdraft_nanos: largest(charges.map(({ overdraft_nanos }) => overdraft_nanos)) }
      settled.set(place, outcome)
      yield* warn(
        account_id,
        event.workspace_id,
        yield* Clock.currentTimeMillis,
        charged.flatMap((state) =>
          dueBySpending(state.budget.limit_nanos, state.spent_nanos).map((kind) => [kind, state] as const)
        )
      )
      return outcome
    }),
    release: (account_id, admission_id) =>
      Effect.sync(() => {
        const row = holds.get(placeOf(account_id, admission_id))
        if (row !== undefined) row.isOpen = false
      }),
    warnings: (account_id, workspace_id, { limit, offset }) =>
      Effect.sync(() => {
        const own = [...warned.values()].filter(
          (warning) =>
            warning.account_id === account_id && (workspace_id === undefined || warning.workspace_id === workspace_id)
        )
        return { data: own.slice(offset, offset + limit).map(withoutOwner), total_count: own.length }
      })
  })
}
