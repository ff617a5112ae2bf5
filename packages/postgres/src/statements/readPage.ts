import { type Page, type PageRequest, maxPageBytes } from "@gatewarden/core/internal"
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { type KeptCount, keptCount } from "./keptCount.ts"
import { type Columns, listColumns } from "./rows.ts"

/** What a list shows besides the columns of its own table. */
export interface Beside {
  /** Columns, behind `held.*`. */
  readonly columns: Statement.Fragment
  /** Joins to `held`, the rows of the page. */
  readonly join: Statement.Fragment
}

/** Rows of a table that are listed. */
export interface Listed {
  readonly table: string
  /** The column that orders rows of one instant, and by which a row is found. */
  readonly id: string
  readonly where: Statement.Fragment
  /**
   * Counts exactly the rows that `where` selects; undefined where nothing keeps their count. `counts each`: the query counts the selected
   * rows themselves, for a list that is short.
   */
  readonly kept: KeptCount | "counts each" | undefined
  /** The order if it is not that of creation. Where the latest update comes first, rows of one instant come by id, the greatest first. */
  readonly order?: "latestUpdateFirst" | "id"
  /** Columns that a caller can make long. A page of such rows ends by bytes as well as by its limit. */
  readonly long?: readonly string[]
}

/** The order of a list, and the same from its end. */
const ordersOf = (sql: SqlClient.SqlClient, { id, order }: Pick<Listed, "id" | "order">) => {
  if (order === "id")
    return { forward: (rows: string) => sql(rows + id), backward: (rows: string) => sql`${sql(rows + id)} desc` }
  const time = order === undefined ? "created_at" : "updated_at"
  const rising = (rows: string) => sql`${sql(rows + time)}, ${sql(rows + id)}`
  const falling = (rows: string) => sql`${sql(rows + time)} desc, ${sql(rows + id)} desc`
  return order === undefined ? { forward: rising, backward: falling } : { forward: falling, backward: rising }
}

/** A value that takes at most this in its row has at most 25 kB in its text: PostgreSQL's compression saves no more. Longer ones are measured. */
const unmeasuredBytes = 256

/** Bytes of a row's long values as text. */
const bytesOf = (sql: SqlClient.SqlClient, columns: readonly string[]) =>
  sql.literal(
    columns
      .map(
        (name) =>
          `case when pg_column_size(held.${name}) > ${unmeasuredBytes} then octet_length(held.${name}::text) else 0 end`
      )
      .join(" + ")
  )

/** Rows of the longest page that the API answers. */
const usualMost = 100

/**
 * A query for the ids of a page, in the order of every list, and for the kept count of the list: `counted.total_count` and `page.id`.
 *
 * PostgreSQL passes the entries of the index that an offset skips one by one, so a page beyond the middle is read from the end of the
 * list. The count and the index are read in one snapshot, so both ways give the same page.
 *
 * PostgreSQL plans a statement anew for each call while it expects to gain by it, which costs as much as the page. Limits and offsets
 * depend on the count, so it knows no more of them with the values of a call; the literal limit tells it that few rows come.
 */
export const pageOfIds = (
  sql: SqlClient.SqlClient,
  listed: Listed,
  { limit, offset }: PageRequest
): Statement.Fragment => {
  const { table, id, where, kept } = listed
  const column = sql(id)
  const { forward, backward } = ordersOf(sql, listed)
  const isInFirstHalf = sql`(${offset}::bigint <= counted.total_count / 2) is not false`
  const count =
    kept === undefined
      ? sql`select max(none)::bigint as total_count from unnest('{}'::bigint[]) as none`
      : kept === "counts each"
        ? sql`select count(*) as total_count from ${sql(table)} where ${where}`
        : keptCount(sql, kept)
  return sql`
    (${count}) counted
    left join lateral (
      (
        select ${column} as id from ${sql(table)} where ${where} order by ${forward("")}
        limit case when ${isInFirstHalf} then ${limit}::bigint else 0 end
        offset case when ${isInFirstHalf} then ${offset}::bigint else 0 end
      )
      union all
      (
        select ${column} from ${sql(table)} where ${where} order by ${backward("")}
        limit case when ${isInFirstHalf} then 0 else greatest(least(${limit}::bigint, counted.total_count - ${offset}::bigint), 0) end
        offset case when ${isInFirstHalf} then 0 else greatest(counted.total_count - ${offset}::bigint - ${limit}::bigint, 0) end
      )
      limit ${sql.literal(String(Math.max(limit, usualMost)))}
    ) page on true`
}

/**
 * One page of a table in the order of every list, and the count before paging, in one statement even past the end. `read` gets the count
 * as a column, too. A page of rows with long columns ends where the next row would exceed `maxPageBytes`, but has at least one row.
 */
export const readPage = Effect.fnUntraced(function* <T>(
  sql: SqlClient.SqlClient,
  listed: Listed,
  page: PageRequest,
  read: (columns: Columns) => T,
  beside: Beside = { columns: sql``, join: sql`` }
) {
  const { forward } = ordersOf(sql, listed)
  const { long } = listed
  const source = sql`
    from ${pageOfIds(sql, listed, page)}
    left join lateral (select * from ${sql(listed.table)} where ${sql(listed.id)} = page.id limit 1) held on true
    ${beside.join}`
  const rows =
    long === undefined
      ? yield* sql`select counted.total_count, held.*${beside.columns} ${source} order by ${forward("held.")}`
      : yield* sql`
          select * from (
            select counted.total_count, held.*${beside.columns},
              row_number() over listed as page_row, sum(${bytesOf(sql, long)}) over listed as page_bytes
            ${source}
            window listed as (order by ${forward("held.")} rows unbounded preceding)
          ) held
          where page_row = 1 or page_bytes <= ${sql.literal(String(maxPageBytes))}
          order by page_row`
  const found = rows.filter((row) => row[listed.id] !== null)
  const answer: Page<T> = { data: found.map(read), total_count: Number(rows[0]?.[listColumns.count] ?? 0) }
  return answer
})
