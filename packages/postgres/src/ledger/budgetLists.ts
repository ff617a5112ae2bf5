/**
 * Lists of budgets by their ids: a hold names the list that it was made with, and its settlement answers that list. Lists never change
 * and ids are never reused, so a process may cache them for ever.
 */
import { type Budget, type BudgetWarning, type Page, type PageRequest, formatInstant } from "@gatewarden/core/internal"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { arrayLiteral } from "../statements/literals.ts"
import { type Listed, pageOfIds } from "../statements/readPage.ts"
import { printedStart } from "./budgetWindows.ts"

/** As it is stored: JSON has no exact integer of the size of a limit. */
export interface StoredBudget extends Omit<Budget, "limit_nanos"> {
  readonly limit_nanos: string
}

/** Lists in the cache of a process, each about a kilobyte. */
const remembered = 5_000

export const budgetLists = (sql: SqlClient.SqlClient) => {
  const lists = new Map<string, readonly Budget[]>()
  const learn = (id: string, budgets: readonly Budget[]): void => {
    if (lists.has(id)) return
    const [oldest] = lists.size < remembered ? [] : lists.keys()
    if (oldest !== undefined) lists.delete(oldest)
    lists.set(id, budgets)
  }
  return {
    learn,
    /** The lists of these ids, in any order; reads those that the process has not seen. */
    of: Effect.fnUntraced(function* (ids: ReadonlySet<string>) {
      const found = new Map<string, readonly Budget[]>()
      for (const id of ids) {
        const budgets = lists.get(id)
        if (budgets !== undefined) found.set(id, budgets)
      }
      const others = [...ids].filter((id) => !found.has(id))
      if (others.length === 0) return found
      const rows = yield* sql<{ id: string; budgets: readonly StoredBudget[] }>`
        select id::text as id, budgets from gatewarden_budget_list where id = any (${arrayLiteral(others)}::bigint[])`
      for (const { id, budgets } of rows) {
        const list = budgets.map((budget): Budget => ({ ...budget, limit_nanos: BigInt(budget.limit_nanos) }))
        learn(id, list)
        found.set(id, list)
      }
      return found
    })
  }
}

export type BudgetLists = ReturnType<typeof budgetLists>

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

/** Warnings as rows: recorded by the function that holds or charges, once for each window and kind. */
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
