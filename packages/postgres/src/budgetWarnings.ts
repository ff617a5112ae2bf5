/** Warnings as rows: recorded by the statement that holds or charges, once for each window and kind. */
import { type Budget, type BudgetWarning, formatInstant, type Page, type PageRequest } from "@gatewarden/core/effect"
import { warningPercents } from "@gatewarden/core/effect"
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { printedStart } from "./budgetWindows.ts"

const columns = [
  "workspace_id",
  "kind",
  "scope",
  "entity",
  "guardrail_id",
  "interval",
  "include_byok",
  "limit_nanos::text",
  "spent_nanos::text",
  "held_nanos::text"
].join(", ")

/** A warning as it is selected, alone or as JSON. Instants are epoch milliseconds as text. */
export interface WarningRow extends Omit<Budget, "limit_nanos">, Pick<BudgetWarning, "kind" | "workspace_id"> {
  readonly limit_nanos: string
  readonly spent_nanos: string
  readonly held_nanos: string | null
  readonly start: string | null
  readonly at: string
}

export const warningColumns = `${columns}, ${printedStart("window_start")} as start,
  floor(extract(epoch from created_at) * 1000)::bigint::text as at`

export const warningOf = ({
  kind,
  workspace_id,
  limit_nanos,
  spent_nanos,
  held_nanos,
  start,
  at,
  ...row
}: WarningRow): BudgetWarning => ({
  kind,
  budget: {
    scope: row.scope,
    entity: row.entity,
    guardrail_id: row.guardrail_id,
    interval: row.interval,
    limit_nanos: BigInt(limit_nanos),
    include_byok: row.include_byok
  },
  workspace_id,
  window_start: start === null ? null : Number(start),
  spent_nanos: BigInt(spent_nanos),
  held_nanos: held_nanos === null ? null : BigInt(held_nanos),
  created_at: formatInstant(Number(at))
})

/** Which kinds are due by what was spent, as rows `d (kind, place)` of a lateral join on a row with `limit_nanos` and `spent_nanos`. */
export const dueBySpending = (row: string): string => {
  const due = Object.entries(warningPercents).map(
    ([kind, percent], place) =>
      `select '${kind}' as kind, ${place} as place
       where ${row}.limit_nanos > 0 and ${row}.spent_nanos * 100 >= ${row}.limit_nanos * ${percent}`
  )
  return due.join(" union all ")
}

export const budgetWarnings = (sql: SqlClient.SqlClient) => ({
  /**
   * A CTE's body that records the rows of `due`, which has the columns of a warning, in the order of `ord` and `place`, and
   * answers those that are new. That most were recorded before is found out without writing.
   */
  recorded: (account_id: string, workspace_id: string, now: Statement.Fragment) => sql`
    insert into gatewarden_budget_warning (account_id, workspace_id, kind, scope, entity, guardrail_id, interval, window_start,
      include_byok, limit_nanos, spent_nanos, held_nanos, created_at)
    select ${account_id}::uuid, ${workspace_id}::uuid, due.kind, due.scope, due.entity, due.guardrail_id, due.interval,
      due.window_start, due.include_byok, due.limit_nanos, due.spent_nanos, due.held_nanos, ${now}
    from due
    where not exists (
      select 1 from gatewarden_budget_warning w
      where w.account_id = ${account_id}::uuid and w.scope = due.scope and w.entity = due.entity
        and w.interval = due.interval and w.window_start = due.window_start and w.kind = due.kind
        and coalesce(w.guardrail_id, '00000000-0000-0000-0000-000000000000')
          = coalesce(due.guardrail_id, '00000000-0000-0000-0000-000000000000')
    )
    order by due.ord, due.place
    on conflict do nothing returning *`,

  page: (account_id: string, workspace_id: string | undefined, { limit, offset }: PageRequest) => {
    const own = sql`account_id = ${account_id}::uuid ${workspace_id === undefined ? sql`` : sql`and workspace_id = ${workspace_id}::uuid`}`
    return Effect.map(
      sql<WarningRow & { readonly id: bigint | null; readonly total_count: bigint }>`
        select counted.total_count, page.* from (select count(*) as total_count from gatewarden_budget_warning where ${own}) counted
        left join lateral (
          select id, created_at, ${sql.literal(warningColumns)} from gatewarden_budget_warning where ${own}
          order by created_at, id limit ${limit} offset ${offset}
        ) page on true order by page.created_at, page.id`,
      (rows): Page<BudgetWarning> => ({
        data: rows.filter(({ id }) => id !== null).map(warningOf),
        total_count: Number(rows[0]?.total_count ?? 0)
      })
    )
  }
})
