/** Everything that a database holds, table by table, as a reader with a text editor and one with a hex editor would see it. */
import { PgConnection } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"

export interface DumpedTable {
  readonly table: string
  /** A row a line, as JSON; bytes in hexadecimal. */
  readonly text: string
  /** Every value of a column of bytes, as it is. */
  readonly bytes: readonly Uint8Array[]
}

const quoted = (name: unknown): string => `"${String(name).replaceAll('"', '""')}"`

/** Every table of every schema that is not PostgreSQL's own. */
export const dumpDatabase = (url: string): Promise<readonly DumpedTable[]> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const connection = yield* PgConnection.make({ url: Redacted.make(url) })
        const tables = yield* connection.query(`
          select table_schema, table_name, coalesce(json_agg(column_name) filter (where data_type = 'bytea'), '[]') as binary
          from information_schema.columns join information_schema.tables using (table_schema, table_name)
          where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')
          group by table_schema, table_name order by table_schema, table_name`)
        return yield* Effect.forEach(tables.rows, ({ table_schema, table_name, binary }) =>
          Effect.gen(function* () {
            const from = `${quoted(table_schema)}.${quoted(table_name)}`
            const lines = yield* connection.query(`select to_jsonb(t)::text as line from ${from} t`)
            const columns = binary as readonly string[]
            const bytes = yield* Effect.forEach(columns, (column) =>
              connection.query(`select ${quoted(column)} as value from ${from} where ${quoted(column)} is not null`)
            )
            return {
              table: String(table_name),
              text: lines.rows.map(({ line }) => String(line)).join("\n"),
              bytes: bytes.flatMap(({ rows }) => rows.map(({ value }) => value as Uint8Array))
            }
          })
        )
      })
    )
  )
