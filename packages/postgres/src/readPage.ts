import type { Page, PageRequest } from "@gatewarden/core/effect"
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { Columns } from "./rows.ts"

/** One page of a table in the order of every list, and the count before paging, in one statement even past the end. */
export const readPage = Effect.fnUntraced(function* <T>(
  sql: SqlClient.SqlClient,
  table: string | Statement.Fragment,
  where: Statement.Fragment,
  { limit, offset }: PageRequest,
  read: (columns: Columns) => T
) {
  const source = typeof table === "string" ? sql(table) : table
  const rows = yield* sql`
    select counted.total_count, page.*
    from (select count(*) as total_count from ${source} where ${where}) counted
    left join lateral (
      select * from ${source} where ${where} order by created_at, id limit ${limit} offset ${offset}
    ) page on true
    order by page.created_at, page.id`
  const found = rows.filter((row) => row["id"] !== null)
  const page: Page<T> = {
    data: found.map(({ total_count: _, ...columns }) => read(columns)),
    total_count: Number(rows[0]?.["total_count"] ?? 0)
  }
  return page
})
