/** Warnings as rows: recorded by the function that holds or charges, once for each window and kind. */
import { type Budget, type BudgetWarning, formatInstant, type Page, type PageRequest } from "@gatewarden/core/effect"
import { warningPercents } from "@gatewarden/core/effect"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { arrayLiteral } from "./arrayLiteral.ts"
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

const warningColumns = `${columns}, ${printedStart("window_start")} as start,
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

/** The kinds that are due by what was spent, and from which percentage on, as functions of the database take them. */
export const spentKinds = arrayLiteral(Object.keys(warningPercents))
export const spentPercents = arrayLiteral(Object.values(warningPercents))

export const budgetWarnings = (sql: SqlClient.SqlClient) => ({
  page: (account_id: string, workspace_id: string | undefined, { limit, offset }: PageRequest) => {
    const own = sql`account_id = ${account_id}::uuid ${workspace_id === undefined ? sql`` : sql`and workspace_id = ${workspace_id}::uuid`}`
    return Effect.map(
      sql<WarningRow & { readonly id: bigint | null; readonly total_count: bigint }>`
        select counted.total_count, page.* from (select count(*) as total_count from gatewarden_budget_warning where ${own}) counted
        left join lateral (
          select id from gatewarden_budget_warning where ${own} order by created_at, id limit ${limit} offset ${offset}
        ) place on true
        left join lateral (
          select id, created_at, ${sql.literal(warningColumns)} from gatewarden_budget_warning where id = place.id limit 1
        ) page on true order by page.created_at, page.id`,
      (rows): Page<BudgetWarning> => ({
        data: rows.filter(({ id }) => id !== null).map(warningOf),
        total_count: Number(rows[0]?.total_count ?? 0)
      })
    )
  }
})
