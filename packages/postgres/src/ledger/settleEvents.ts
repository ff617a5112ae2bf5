/** Settles requests in one call: records their usage events, charges every window that applies, and answers the state of these windows. */
import {
  type Budget,
  type BudgetWarning,
  type ChargedAmount,
  type SelectedEvents,
  type SettleOutcome,
  type UsageEvent,
  windowStart
} from "@gatewarden/core/store"
import { Effect } from "effect"
import type { Run } from "../statements/FixedStatements.ts"
import { type BudgetLists, type StoredBudget, type WarningRow, warningOf } from "./budgetLists.ts"
import { usageEventJson } from "../statements/usageEventTable.ts"

/** A settlement as earlier versions stored it with its hold. */
interface KeptSettlement {
  readonly charges: readonly (StoredBudget & {
    readonly window_start: number | null
    readonly nanos: string
    readonly overdraft_nanos: string
  })[]
  readonly overdraft_nanos: string
}

const keptOutcome = ({ charges, overdraft_nanos }: KeptSettlement): SettleOutcome => ({
  overdraft_nanos: BigInt(overdraft_nanos),
  charges: charges.map(
    ({ window_start, nanos, overdraft_nanos: overdraft, limit_nanos, ...budget }): ChargedAmount => ({
      budget: { ...budget, limit_nanos: BigInt(limit_nanos) },
      window_start,
      nanos: BigInt(nanos),
      overdraft_nanos: BigInt(overdraft)
    })
  )
})

const nothing: SettleOutcome = { charges: [], overdraft_nanos: 0n }

/** What was answered to a settlement; amounts as text. */
type Printed =
  /** As it is stored with a hold whose id was recorded otherwise. */
  | { readonly settlement: KeptSettlement }
  | {
      readonly settlement?: undefined
      /** The list of budgets that was charged. */
      readonly list: string
      /** When the money was held, in epoch milliseconds. */
      readonly at: string
      /** What the event cost that was recorded before under the id, which counts. */
      readonly cost?: string
      readonly byok_cost?: string
      /** Above each budget's limit; `null` for a window that was deleted. `null`: nothing was. */
      readonly overdrafts: readonly (string | null)[] | null
    }

/** In the order of the events; `null`: nothing was held under the id. */
interface Answer {
  readonly outcomes: readonly (Printed | null)[]
  readonly warnings: readonly WarningRow[]
}

export interface Settled {
  readonly outcomes: readonly SettleOutcome[]
  readonly warnings: readonly BudgetWarning[]
}

const chargesOf = (
  budgets: readonly Budget[],
  held_at: number,
  cost: bigint,
  byok_cost: bigint,
  overdrafts: readonly (string | null)[] | null
): SettleOutcome => {
  const charges = budgets.flatMap((budget, nth): readonly ChargedAmount[] => {
    const overdraft = overdrafts === null ? "0" : overdrafts[nth]
    if (overdraft == null) return []
    return [
      {
        budget,
        window_start: windowStart(budget.interval, held_at),
        nanos: budget.include_byok ? cost + byok_cost : cost,
        overdraft_nanos: BigInt(overdraft)
      }
    ]
  })
  const overdraft_nanos = charges.reduce(
    (most, charge) => (charge.overdraft_nanos > most ? charge.overdraft_nanos : most),
    0n
  )
  return { charges, overdraft_nanos }
}

/** By hand, since fragments cost ten times as much. One row: `answer`. */
const text = "select gatewarden_settle_events($1::uuid, $2::timestamptz, $3::int, $4::json) as answer"

/** An id that comes twice is settled once, by the first of its events, and answered alike. `millis`: how long to wait for each lock. */
export const settleEvents = (write: Run, known: BudgetLists) =>
  Effect.fnUntraced(function* (
    account_id: string,
    events: readonly UsageEvent[],
    selected: SelectedEvents,
    now: string | null,
    millis: number | null
  ) {
    const places = new Map<string, number>()
    const firsts = events.filter(({ id }) => !places.has(id) && places.set(id, places.size))
    const [row] = yield* write(text, [account_id, now, millis, usageEventJson(firsts, selected)])
    const answer = (row?.["answer"] as Answer | undefined) ?? { outcomes: [], warnings: [] }
    const charged = answer.outcomes.flatMap((one) => (one === null || one.settlement !== undefined ? [] : [one.list]))
    const lists = yield* known.of(new Set(charged))
    const outcomes = firsts.map((event, index): SettleOutcome => {
      const one = answer.outcomes[index]
      if (one == null) return nothing
      if (one.settlement !== undefined) return keptOutcome(one.settlement)
      return chargesOf(
        lists.get(one.list) ?? [],
        Number(one.at),
        BigInt(one.cost ?? event.cost_nanos),
        BigInt(one.byok_cost ?? event.byok_cost_nanos),
        one.overdrafts
      )
    })
    const settled: Settled = {
      outcomes: events.map(({ id }) => outcomes[places.get(id) ?? 0] ?? nothing),
      warnings: answer.warnings.map(warningOf)
    }
    return settled
  })
