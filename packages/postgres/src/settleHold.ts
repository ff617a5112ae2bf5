/** Records what a request cost: its event, the charge of every window that watches it, and what that comes to, in one statement. */
import type { BudgetWarning, ChargedAmount, SettleOutcome, UsageEvent } from "@gatewarden/core/effect"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { budgetWarnings, dueBySpending, warningColumns, warningOf, type WarningRow } from "./budgetWarnings.ts"
import { type Instant, printedStart } from "./budgetWindows.ts"
import type { KeptBudget } from "./holdBudgets.ts"
import { chargedWindows, enterSpending, whileRecording } from "./spending.ts"
import { eventColumns, usageEventTable } from "./usageEventTable.ts"

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

interface Row {
  readonly is_current: boolean
  /** None: nothing was ever held under this id. */
  readonly settlement: KeptSettlement | null
  readonly warnings: readonly WarningRow[] | null
}

const nothing: Row = { is_current: false, settlement: null, warnings: null }

export const settleHold = (sql: SqlClient.SqlClient) => {
  const { columns, table } = usageEventTable(sql)
  const { recorded } = budgetWarnings(sql)

  const statement = (account_id: string, event: UsageEvent, now: Instant) => sql<Row>`
    with entered as materialized (${enterSpending(sql, account_id)}),
    hold as (
      select * from gatewarden_hold
      where admission_id = ${event.id} and account_id = ${account_id}::uuid and (select is_current from entered)
      for update
    ), added as (
      insert into gatewarden_usage_event (account_id, ${sql.literal(eventColumns)}, charged_at)
      select ${account_id}::uuid, ${columns}, (select held_at from hold) from ${table([event])}
      where (select is_current from entered) and not exists (select 1 from hold where state = 'settled')
      on conflict (account_id, id) do nothing
      returning classifiers, api_key_hash, user_id, workspace_id, cost_nanos, byok_cost_nanos,
        coalesce(charged_at, created_at) as at
    ), noted as (
      insert into gatewarden_usage_classifier (account_id, classifier_id)
      select distinct ${account_id}::uuid, jsonb_object_keys(classifiers) from added where classifiers is not null order by 2
      on conflict do nothing
    ), freed as (
      select unnest(window_ids) as id, nanos, full_nanos from hold where state = 'open'
    ), ${chargedWindows(sql, account_id, true)}, charge as (
      select b.*, k.kept, c.window_start, s.nanos, s.spent_nanos, null::numeric as held_nanos,
        least(greatest(s.spent_nanos - b.limit_nanos, 0), s.nanos) as overdraft_nanos
      from hold cross join added a
      cross join lateral jsonb_array_elements(hold.budgets) with ordinality as k (kept, ord)
      cross join lateral (
        select k.ord, r.* from jsonb_to_record(k.kept) as r
          (n int, scope text, entity text, guardrail_id uuid, interval text, limit_nanos numeric, include_byok boolean)
      ) b
      join charged c on c.id = hold.window_ids[b.n]
      cross join lateral (
        select a.cost_nanos + case when b.include_byok then a.byok_cost_nanos else 0 end as nanos,
          c.spent_nanos + case when b.include_byok then c.byok_spent_nanos else 0 end as spent_nanos
      ) s
    ), settlement as (
      select json_build_object(
        'charges', coalesce(json_agg((kept - 'n') || jsonb_build_object(
          'window_start', (${sql.literal(printedStart("window_start"))})::bigint,
          'nanos', nanos::text, 'overdraft_nanos', overdraft_nanos::text
        ) order by ord), '[]'),
        'overdraft_nanos', coalesce(max(overdraft_nanos), 0)::text
      ) as settlement from charge
    ), closed as (
      update gatewarden_hold h set state = 'settled', settlement = settlement.settlement
      from hold, settlement where h.admission_id = hold.admission_id and hold.state <> 'settled'
      returning h.settlement
    ), due as (
      select charge.*, d.kind, d.place from charge cross join lateral (${sql.literal(dueBySpending("charge"))}) d
    ), warned as (${recorded(account_id, event.workspace_id, now)})
    select is_current, coalesce((select settlement from closed), (select settlement from hold)) as settlement,
      (select json_agg(p order by p.id) from (select id, ${sql.literal(warningColumns)} from warned) p) as warnings
    from entered`

  return (account_id: string, event: UsageEvent, now: Instant) =>
    Effect.map(
      whileRecording(
        sql,
        account_id,
        Effect.map(statement(account_id, event, now), ([row = nothing]) => row)
      ),
      ({ settlement, warnings }): { outcome: SettleOutcome; warnings: readonly BudgetWarning[] } => ({
        outcome: settlement === null ? { charges: [], overdraft_nanos: 0n } : outcomeOf(settlement),
        warnings: (warnings ?? []).map(warningOf)
      })
    )
}
