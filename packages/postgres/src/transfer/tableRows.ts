/**
 * Rows of a table as lines: each a JSON array of the text of every column, `null` for null, as PostgreSQL prints and reads it
 * without loss.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { TransferTable } from "./readTables.ts"

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
const list = (names: readonly string[]): string => names.map(quoted).join(", ")
const columnNames = (table: TransferTable): readonly string[] => table.columns.map(({ name }) => name)

/** Bytes of a batch, unless one row is longer. */
const batchBytes = 2_000_000
const mostRows = 5_000

const lineOf = (table: TransferTable): string =>
  `to_json(array[${table.columns.map(({ name }) => `${quoted(name)}::text`).join(", ")}]::text[])::text`

/** Types whose texts are short. */
const shortTypes = /^(?:uuid|boolean|integer|bigint|double precision|date|timestamp with time zone|xid8)$/

/** About as many bytes as its text has in a line. PostgreSQL knows the length of texts and bytes without reading them. */
const bytesOf = ({ name, type }: TransferTable["columns"][number]): string => {
  if (shortTypes.test(type)) return "36"
  const bytes = type === "bytea" ? `2 * octet_length(${quoted(name)})` : `octet_length(${quoted(name)}::text)`
  return `coalesce(${bytes}, 4)`
}

/** By the primary key where there is one, else by everything: in one order on every server, and in both statements. */
const selectFrom = (table: TransferTable, what: string): string => {
  const order = table.key.length > 0 ? list(table.key) : `${lineOf(table)} collate "C"`
  return `select ${what} from ${quoted(table.name)} order by ${order}`
}

/** Numbers of rows that make a batch each, in order. A row longer than a batch is one of its own. */
function* batchesOf(rowBytes: readonly number[]): Generator<number> {
  let rows = 0
  let bytes = 0
  for (const more of rowBytes) {
    if (rows > 0 && bytes + more > batchBytes) {
      yield rows
      rows = 0
      bytes = 0
    }
    rows++
    bytes += more
  }
  if (rows > 0) yield rows
}

/**
 * Reads all lines of a table, some at a time. Within a transaction.
 *
 * A second cursor reads the lengths of rows ahead: rows of a few bytes may stand before rows of a megabyte.
 */
export const readLines = Effect.fnUntraced(function* <E, R>(
  table: TransferTable,
  take: (lines: readonly string[]) => Effect.Effect<void, E, R>
) {
  const sql = yield* SqlClient.SqlClient
  const bytes = table.columns.map(bytesOf).join(" + ")
  yield* sql.unsafe(`declare gatewarden_lengths no scroll cursor for ${selectFrom(table, `${bytes} as bytes`)}`)
  yield* sql.unsafe(`declare gatewarden_lines no scroll cursor for ${selectFrom(table, `${lineOf(table)} as line`)}`)
  for (;;) {
    const lengths = yield* sql.unsafe<{ bytes: number }>(`fetch forward ${mostRows} from gatewarden_lengths`)
    if (lengths.length === 0) break
    for (const rows of batchesOf(lengths.map(({ bytes }) => bytes))) {
      const found = yield* sql.unsafe<{ line: string }>(`fetch forward ${rows} from gatewarden_lines`)
      yield* take(found.map(({ line }) => line))
    }
  }
  yield* sql.unsafe("close gatewarden_lengths")
  yield* sql.unsafe("close gatewarden_lines")
})

/** Adds rows to a table that was prepared for it. Within a transaction. */
export const loadLines = Effect.fnUntraced(function* (table: TransferTable, lines: readonly string[]) {
  const sql = yield* SqlClient.SqlClient
  const values = table.columns.map(({ type }, index) => `(line ->> ${index})::${type}`).join(", ")
  const day = table.columns.findIndex(({ name }) => name === "created_at")
  // Events lie in partitions of their days, which this database does not have yet.
  if (table.name === "gatewarden_usage_event")
    yield* sql`
      select gatewarden_open_usage_days(array(
        select distinct ((line ->> ${sql.literal(String(day))})::timestamptz at time zone 'UTC')::date
        from jsonb_array_elements(${`[${lines.join(",")}]`}::jsonb) as line))`
  yield* sql`
    insert into ${sql.literal(`${quoted(table.name)} (${list(columnNames(table))})`)} overriding system value
    select ${sql.literal(values)} from jsonb_array_elements(${`[${lines.join(",")}]`}::jsonb) as line`
})

/** What triggers would add to a table is among its rows already. */
export const prepareLoad = Effect.fnUntraced(function* (tables: readonly TransferTable[]) {
  const sql = yield* SqlClient.SqlClient
  for (const { name } of tables) yield* sql.unsafe(`alter table ${quoted(name)} disable trigger user`)
})

/** Triggers work again, and sequences go on behind the rows that were added. */
export const finishLoad = Effect.fnUntraced(function* (tables: readonly TransferTable[]) {
  const sql = yield* SqlClient.SqlClient
  // A table whose deferred constraints are still to be checked cannot be altered.
  yield* sql.unsafe("set constraints all immediate")
  for (const { name, columns } of tables) {
    for (const { name: column, sequence } of columns)
      if (sequence !== null)
        yield* sql.unsafe(
          `select setval('${sequence.replaceAll("'", "''")}', max(${quoted(column)})) from ${quoted(name)} having count(*) > 0`
        )
    yield* sql.unsafe(`alter table ${quoted(name)} enable trigger user`)
  }
})

/** The tables that have rows. */
export const occupiedTables = Effect.fnUntraced(function* (tables: readonly TransferTable[]) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* Effect.forEach(tables, ({ name }) =>
    Effect.map(sql.unsafe(`select 1 as one from ${quoted(name)} limit 1`), (rows) => (rows.length > 0 ? [name] : []))
  )
  return found.flat()
})

/** How many rows there are, for whoever waits. */
export const countRows = Effect.fnUntraced(function* (tables: readonly TransferTable[]) {
  const sql = yield* SqlClient.SqlClient
  const counts = yield* Effect.forEach(tables, ({ name }) =>
    sql.unsafe<{ count: bigint }>(`select count(*) as count from ${quoted(name)}`)
  )
  return counts.reduce((sum, [row]) => sum + Number(row?.count ?? 0), 0)
})
