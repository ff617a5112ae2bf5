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
import { arrayLiteral } from "../statements/literals.ts"
import type { Run } from "../statements/FixedStatements.ts"
import {
  type BudgetLists,
  type StoredBudget,
  type WarningRow,
  spentKinds,
  spentPercents,
  warningOf
} from "./budgetLists.ts"
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

/** Columns in the order of the events; those that say nothing of any are absent. */
interface Answer {
  /** The list of budgets that was charged; `null` where nothing was held under the id. */
  readonly lists: readonly (string | null)[]
  /** When the money was held, in epoch milliseconds. */
  readonly ats: readonly (string | null)[]
  /** What the event cost that was recorded before under the id, which counts. */
  readonly costs?: readonly (string | null)[]
  readonly byok_costs?: readonly (string | null)[]
  /** Above each budget's limit; `null` for a window that was forgotten. Absent or `null` where nothing was. */
  readonly overdrafts?: readonly (readonly (string | null)[] | null)[]
  readonly settlements?: readonly (KeptSettlement | null)[]
  readonly warnings?: readonly WarningRow[]
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
const text =
  "select gatewarden_settle_events($1::uuid, $2::timestamptz, $3::int, $4::text[], $5::json, $6::text[], $7::int[]) as answer"

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
    const parameters = [
      account_id,
      now,
      millis,
      arrayLiteral(firsts.map(({ id }) => id)),
      usageEventJson(firsts, selected),
      spentKinds,
      spentPercents
    ]
    const [row] = yield* write(text, parameters)
    const answer = (row?.["answer"] as Answer | undefined) ?? { lists: [], ats: [] }
    const lists = yield* known.of(new Set(answer.lists.filter((id) => id !== null)))
    const outcomes = firsts.map((event, index): SettleOutcome => {
      const kept = answer.settlements?.[index]
      if (kept != null) return keptOutcome(kept)
      const list = answer.lists[index]
      if (list == null) return nothing
      return chargesOf(
        lists.get(list) ?? [],
        Number(answer.ats[index]),
        BigInt(answer.costs?.[index] ?? event.cost_nanos),
        BigInt(answer.byok_costs?.[index] ?? event.byok_cost_nanos),
        answer.overdrafts?.[index] ?? null
      )
    })
    const settled: Settled = {
      outcomes: events.map(({ id }) => outcomes[places.get(id) ?? 0] ?? nothing),
      warnings: (answer.warnings ?? []).map(warningOf)
    }
    return settled
  })
