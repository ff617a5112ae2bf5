/** Warnings as rows: recorded by the function that holds or charges, once for each window and kind. */
import { type Budget, type BudgetWarning, formatInstant, type Page, type PageRequest } from "@gatewarden/core/store"
import { warningPercents } from "@gatewarden/core/store"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { arrayLiteral } from "../engine/arrayLiteral.ts"
import { printedStart } from "./budgetWindows.ts"
import { type Listed, pageOfIds } from "../ports/sql/readPage.ts"

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
  page: (account_id: string, workspace_id: string | undefined, page: PageRequest) => {
    const listed: Listed = {
      table: "gatewarden_budget_warning",
      id: "id",
      where: sql`account_id = ${account_id}::uuid ${workspace_id === undefined ? sql`` : sql`and workspace_id = ${workspace_id}::uuid`}`,
      kept: { account_id, kind: "warning", owner: workspace_id }
    }
    return Effect.map(
      sql<WarningRow & { readonly id: bigint | null; readonly total_count: bigint }>`
        select counted.total_count, held.* from ${pageOfIds(sql, listed, page)}
        left join lateral (
          select id, created_at, ${sql.literal(warningColumns)} from gatewarden_budget_warning where id = page.id limit 1
        ) held on true order by held.created_at, held.id`,
      (rows): Page<BudgetWarning> => ({
        data: rows.filter(({ id }) => id !== null).map(warningOf),
        total_count: Number(rows[0]?.total_count ?? 0)
      })
    )
  }
})
