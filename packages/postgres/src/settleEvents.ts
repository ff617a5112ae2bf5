/** Records what requests cost: their events, the charge of every window that watches them, and what that comes to, in one call. */
import type { BudgetWarning, ChargedAmount, SettleOutcome, UsageEvent } from "@gatewarden/core/effect"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { arrayLiteral } from "./arrayLiteral.ts"
import { spentKinds, spentPercents, warningOf, type WarningRow } from "./budgetWarnings.ts"
import type { KeptBudget } from "./holdBudgets.ts"
import { usageEventJson } from "./usageEventTable.ts"

/** A settlement as it is kept with its hold, so that settling again answers the same. */
interface KeptSettlement {
  readonly charges: readonly (Omit<KeptBudget, "n"> & {
    readonly window_start: number | null
    readonly nanos: string
    readonly overdraft_nanos: string
  })[]
  readonly overdraft_nanos: string
}

const outcomeOf = ({ charges, overdraft_nanos }: KeptSettlement): SettleOutcome => ({
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

interface Answer {
  /** In the order of the events; `null` where nothing was ever held under the id. */
  readonly settlements: readonly (KeptSettlement | null)[]
  readonly warnings: readonly WarningRow[]
}

export interface Settled {
  readonly outcomes: readonly SettleOutcome[]
  readonly warnings: readonly BudgetWarning[]
}

/** By hand, since fragments cost ten times as much. */
const text =
  "select gatewarden_settle_events($1::uuid, $2::timestamptz, $3::text[], gatewarden_events_of_members($1::uuid, $3::text[], $4::json), $5::text[], $6::int[]) as answer"

/** An id that comes twice is settled once, by the first of its events, and answered alike. */
export const settleEvents =
  (sql: SqlClient.SqlClient) => (account_id: string, events: readonly UsageEvent[], now: string | null) => {
    const places = new Map<string, number>()
    const firsts = events.filter(({ id }) => !places.has(id) && places.set(id, places.size))
    const parameters = [
      account_id,
      now,
      arrayLiteral(firsts.map(({ id }) => id)),
      usageEventJson(firsts),
      spentKinds,
      spentPercents
    ]
    return Effect.map(sql.unsafe<{ readonly answer: Answer }>(text, parameters), ([row]): Settled => ({
      outcomes: events.map(({ id }) => {
        const settlement = row?.answer.settlements[places.get(id) ?? 0]
        return settlement == null ? nothing : outcomeOf(settlement)
      }),
      warnings: (row?.answer.warnings ?? []).map(warningOf)
    }))
  }
