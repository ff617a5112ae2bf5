import { Clock, Effect, Option } from "effect"
import {
  type Budget,
  BudgetLedger,
  type BudgetState,
  type BudgetWarning,
  type HeldAmount,
  type HoldRequest,
  type SettleOutcome
} from "../ports/ledger.ts"
import { BudgetWarningFeed } from "../ledger/BudgetWarningFeed.ts"
import { windowStart } from "../ledger/LedgerClock.ts"
import { isOfUser, spendersOf } from "../ledger/budgetsOf.ts"
import { type Amounts, countedBy, judgeHold, judgeSettlement } from "../ledger/judgeHolds.ts"
import type { SelectedEvent, UsageEvent } from "../ports/usage.ts"
import type { RequestSize } from "../request/requestSize.ts"
import { ExpiryQueue } from "../value/ExpiryQueue.ts"
import { formatInstant } from "../value/calendar.ts"
import { addSpending, recordEvent } from "./tables/recordEvent.ts"
import { crossingOf, raiseAlert } from "./tables/raiseAlert.ts"
import { onSweep, sweepMap } from "./tables/sweeps.ts"
import { type Tables, withoutOwner } from "./tables/Tables.ts"
import { type Entities, negated, WindowSums } from "./tables/WindowSums.ts"
import type { DueWarning } from "../ledger/budgetWarnings.ts"

/** What an admission holds, and what became of it. */
interface HoldRow {
  readonly account_id: string
  /** Epoch milliseconds: the windows of this instant are charged, whenever it is settled. */
  readonly held_at: number
  /** It counts wherever its event will be charged, whichever budgets watch. */
  readonly entities: Entities
  readonly holds: readonly HeldAmount[]
  /** What is held where only shared capacity counts, and what besides where the workspace's own credentials do too. */
  readonly amounts: Amounts
  readonly size: RequestSize | undefined
  readonly isChargedOnExpiry: boolean
  isOpen: boolean
  /** It has expired and was charged in full. */
  isCharged: boolean
}

/** A window is warned of once at each limit. */
const placeOfWarning = (
  account_id: string,
  {
    kind,
    budget: { scope, entity, guardrail_id, interval, limit_nanos },
    window_start
  }: Pick<DueWarning, "kind" | "budget" | "window_start">
): string =>
  JSON.stringify([account_id, scope, entity, guardrail_id, interval, window_start, kind, String(limit_nanos)])

/** The member whose budget applies to what is held. */
const memberOf = ({ holds }: HoldRow): string | undefined => holds.find(({ budget }) => isOfUser(budget))?.budget.entity

/**
 * The reference: what a window has spent is the sum of the recorded events that are charged in it, what it holds the sum of the
 * open holds. An event is charged when it was made, or when its money was held. Sums are kept, so that a decision takes as long
 * after a million events as after none.
 */
export const budgetLedger = (tables: Tables) => {
  const holds = new Map<string, HoldRow>()
  const held = new WindowSums()
  /** Of the open holds, by their places. */
  const expiries = new ExpiryQueue()
  const settled = new Map<string, SettleOutcome>()
  const placeOf = (account_id: string, id: string) => `${account_id} ${id}`

  /** Gives back what is held, or was charged when it expired: once. */
  const close = (place: string): void => {
    const row = holds.get(place)
    if (row === undefined) return
    const { account_id, entities, held_at, amounts } = row
    if (row.isCharged) addSpending(tables, account_id, entities, held_at, negated(amounts))
    row.isCharged = false
    if (!row.isOpen) return
    row.isOpen = false
    expiries.delete(place)
    held.subtract(account_id, entities, held_at, amounts)
  }

  /** Nothing that has expired is held: called before anything reads what is. */
  const expire = (now: number): void => {
    for (let place = expiries.next(now); place !== undefined; place = expiries.next(now)) {
      close(place)
      const row = holds.get(place)
      if (row?.isChargedOnExpiry !== true) continue
      addSpending(tables, row.account_id, row.entities, row.held_at, row.amounts)
      row.isCharged = true
    }
  }

  const stateOf = (account_id: string, workspace_id: string, budget: Budget, now: number): BudgetState => {
    const window_start = windowStart(budget.interval, now)
    const [spent_nanos, held_nanos] = [tables.spent, held].map((sums) =>
      sums.of(account_id, workspace_id, budget, window_start)
    ) as [bigint, bigint]
    return { budget, window_start, spent_nanos, held_nanos }
  }

  const { budgetWarnings: warned } = tables

  /** Records those that the window was not warned of yet at this limit, with their alerts, and answers them. */
  const warn = (account_id: string, workspace_id: string, now: number, due: readonly DueWarning[]) => {
    const fresh = due.flatMap((one): readonly BudgetWarning[] => {
      const place = placeOfWarning(account_id, one)
      if (warned.has(place)) return []
      const warning = { ...one, workspace_id, created_at: formatInstant(now) }
      warned.set(place, { ...warning, account_id })
      raiseAlert(tables, crossingOf(account_id, warning), now)
      return [warning]
    })
    return Effect.map(BudgetWarningFeed, (feed) => feed.publish(account_id, fresh))
  }

  onSweep(tables.sweeps, "expired_holds", (before) => {
    expire(before)
    return 0
  })
  onSweep(tables.sweeps, "holds", (before, atMost) => {
    let swept = 0
    for (const [place, row] of holds) {
      if (swept >= atMost) break
      if (row.isOpen || row.held_at >= before) continue
      holds.delete(place)
      settled.delete(place)
      swept++
    }
    return swept
  })
  // A lifetime has no end, and a warning that is forgotten would be given again.
  onSweep(
    tables.sweeps,
    "budget_warnings",
    sweepMap(warned, ({ window_start, created_at }, before) => window_start !== null && Date.parse(created_at) < before)
  )

  const renamed = (budget: Budget, from: string, to: string): Budget =>
    isOfUser(budget) && budget.entity === from ? { ...budget, entity: to } : budget

  tables.ledgerOfSpenders.openHolds = (account_id, isCounted, now) => {
    expire(now)
    return [...holds.values()].filter(
      (row) => row.isOpen && row.account_id === account_id && isCounted(row.entities, memberOf(row))
    ).length
  }
  tables.ledgerOfSpenders.heldByKey = (account_id, key_hash, interval, now) => {
    expire(now)
    return held.amounts(account_id, "key", key_hash, interval, windowStart(interval, now))
  }
  tables.ledgerOfSpenders.rename = (account_id, from, to) => {
    for (const [place, row] of holds) {
      if (row.account_id !== account_id) continue
      const { key, user, workspace } = row.entities
      const entities = user === from ? spendersOf(key, to, workspace) : row.entities
      const amounts = row.holds.map((held) => ({ ...held, budget: renamed(held.budget, from, to) }))
      holds.set(place, { ...row, entities, holds: amounts })
      const outcome = settled.get(place)
      if (outcome !== undefined)
        settled.set(place, {
          ...outcome,
          charges: outcome.charges.map((charge) => ({ ...charge, budget: renamed(charge.budget, from, to) }))
        })
    }
    tables.spent.renameUser(account_id, from, to)
    let changed = 0
    for (const [place, warning] of [...warned]) {
      const budget = renamed(warning.budget, from, to)
      if (warning.account_id !== account_id || budget === warning.budget) continue
      warned.delete(place)
      warned.set(placeOfWarning(account_id, { ...warning, budget }), { ...warning, budget })
      changed++
    }
    return changed
  }

  return BudgetLedger.of({
    heldUnder: (account_id, admission_id) =>
      Effect.sync(() => {
        const place = placeOf(account_id, admission_id)
        const isSettled = settled.has(place)
        return Option.map(Option.fromUndefinedOr(holds.get(place)), ({ amounts: { nanos, byok_nanos }, size }) => ({
          nanos: nanos + byok_nanos,
          shared_nanos: isSettled ? undefined : nanos,
          size: isSettled ? undefined : size
        }))
      }),
    states: (account_id, workspace_id, budgets) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        expire(now)
        return budgets.map((budget) => stateOf(account_id, workspace_id, budget, now))
      }),
    hold: Effect.fnUntraced(function* (
      account_id: string,
      { admission_id, workspace_id, key_hash, user_id, budgets, costs, hold_seconds, on_expiry, size }: HoldRequest
    ) {
      const held_at = yield* Clock.currentTimeMillis
      expire(held_at)
      const states = budgets.map((budget) => stateOf(account_id, workspace_id, budget, held_at))
      const { held: amounts, due } = judgeHold(states, costs)
      if (amounts !== undefined && holds.has(placeOf(account_id, admission_id)))
        return yield* Effect.die(new Error("Something is or was held under this id already"))
      yield* warn(account_id, workspace_id, held_at, due)
      if (amounts === undefined) return { held: false, states } as const
      const heldAmounts = states.map(({ budget, window_start }): HeldAmount => ({
        budget,
        window_start,
        nanos: countedBy(budget, amounts)
      }))
      const expires_at = held_at + hold_seconds * 1000
      const entities = spendersOf(key_hash, user_id, workspace_id)
      const place = placeOf(account_id, admission_id)
      const isChargedOnExpiry = on_expiry === "charge"
      const row = { account_id, held_at, entities, holds: heldAmounts, amounts, size, isChargedOnExpiry }
      holds.set(place, { ...row, isOpen: true, isCharged: false })
      held.add(account_id, entities, held_at, amounts)
      expiries.set(place, expires_at)
      return { held: true, holds: heldAmounts, states, expires_at: formatInstant(expires_at) } as const
    }),
    renew: (account_id, admission_id, hold_seconds) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        expire(now)
        const place = placeOf(account_id, admission_id)
        const row = holds.get(place)
        if (row?.isOpen !== true) return Option.none()
        const expires_at = now + hold_seconds * 1000
        expiries.set(place, expires_at)
        return Option.some(formatInstant(expires_at))
      }),
    settle: Effect.fnUntraced(function* (account_id: string, sent: UsageEvent, selected?: SelectedEvent) {
      const place = placeOf(account_id, sent.id)
      const row = holds.get(place)
      close(place)
      const before = settled.get(place)
      if (before !== undefined) return before
      const member = row === undefined ? undefined : memberOf(row)
      const event = member === undefined ? sent : { ...sent, user_id: member }
      // An id that was recorded otherwise has been paid for: the first wins.
      const isNew = recordEvent(tables, account_id, event, row?.held_at ?? Date.parse(event.created_at), selected)
      const states = (isNew ? (row?.holds ?? []) : []).map(({ budget, window_start }) => ({
        budget,
        window_start,
        spent_nanos: tables.spent.of(account_id, row?.entities.workspace ?? "", budget, window_start)
      }))
      const cost = { nanos: event.cost_nanos, byok_nanos: event.byok_cost_nanos }
      const { due, ...outcome } = judgeSettlement(states, cost)
      settled.set(place, outcome)
      yield* warn(account_id, event.workspace_id, yield* Clock.currentTimeMillis, due)
      return outcome
    }),
    release: (account_id, admission_id) => Effect.sync(() => close(placeOf(account_id, admission_id))),
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
