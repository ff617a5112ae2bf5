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

/** About what one statement carries. */
const batchCharacters = 2_000_000
const mostRows = 5_000

/** By the primary key where there is one, else by everything: in one order on every server. */
const lineStatement = (table: TransferTable): string => {
  const line = `to_json(array[${table.columns.map(({ name }) => `${quoted(name)}::text`).join(", ")}]::text[])::text`
  const order = table.key.length > 0 ? list(table.key) : `${line} collate "C"`
  return `select ${line} as line from ${quoted(table.name)} order by ${order}`
}

/** Reads all lines of a table, some at a time. Within a transaction. */
export const readLines = Effect.fnUntraced(function* <E, R>(
  table: TransferTable,
  take: (lines: readonly string[]) => Effect.Effect<void, E, R>
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`declare gatewarden_transfer no scroll cursor for ${lineStatement(table)}`)
  let rows = 1
  for (;;) {
    const found = yield* sql.unsafe<{ line: string }>(`fetch forward ${rows} from gatewarden_transfer`)
    if (found.length === 0) break
    const lines = found.map(({ line }) => line)
    yield* take(lines)
    // Rows may be a few bytes or a piece of a file.
    const characters = lines.reduce((sum, { length }) => sum + length, 0)
    rows = Math.max(1, Math.min(mostRows, rows * 4, Math.floor((batchCharacters * lines.length) / characters)))
  }
  yield* sql.unsafe("close gatewarden_transfer")
})

/** Adds rows to a table that was prepared for it. Within a transaction. */
export const loadLines = Effect.fnUntraced(function* (table: TransferTable, lines: readonly string[]) {
  const sql = yield* SqlClient.SqlClient
  const values = table.columns.map(({ type }, index) => `(line ->> ${index})::${type}`).join(", ")
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
