import type { Page, PageRequest } from "@gatewarden/core/effect"
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { Columns } from "./rows.ts"

/** What a list shows besides the columns of its own table. */
export interface Beside {
  /** Columns, behind `held.*`. */
  readonly columns: Statement.Fragment
  /** Joins to `held`, the rows of the page. */
  readonly join: Statement.Fragment
}

/**
 * One page of a table in the order of every list, and the count before paging, in one statement even past the end.
 *
 * An index on the columns of `where`, then `created_at` and `id`, serves both without a row of the table: rows that the offset skips
 * are only counted, and those of the page are read by their ids.
 */
export const readPage = Effect.fnUntraced(function* <T>(
  sql: SqlClient.SqlClient,
  table: string,
  where: Statement.Fragment,
  { limit, offset }: PageRequest,
  read: (columns: Columns) => T,
  beside: Beside = { columns: sql``, join: sql`` }
) {
  const rows = yield* sql`
    select counted.total_count, held.*${beside.columns}
    from (select count(*) as total_count from ${sql(table)} where ${where}) counted
    left join lateral (
      select id from ${sql(table)} where ${where} order by created_at, id limit ${limit} offset ${offset}
    ) page on true
    left join lateral (select * from ${sql(table)} where id = page.id limit 1) held on true
    ${beside.join}
    order by held.created_at, held.id`
  const found = rows.filter((row) => row["id"] !== null)
  const page: Page<T> = {
    data: found.map(({ total_count: _, ...columns }) => read(columns)),
    total_count: Number(rows[0]?.["total_count"] ?? 0)
  }
  return page
})
