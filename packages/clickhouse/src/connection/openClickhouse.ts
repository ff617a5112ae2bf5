/** Statements for ClickHouse over its HTTP interface. What a caller cannot act on dies here, as in every store. */
import { ClickHouseLogLevel, createClient } from "@clickhouse/client"
import { StoreUnavailable } from "@gatewarden/core/store"
import { Effect, Redacted, type Scope } from "effect"
import type { Cell } from "../schema/usageColumns.ts"
import type { Bound } from "./Parameters.ts"

export interface ClickhouseOptions {
  /** `http://user:password@host:8123/database`, or `https`. */
  readonly url: Redacted.Redacted<string>
  /** A cluster of the server, as `system.clusters` names it. */
  readonly cluster?: string | undefined
}

export interface Clickhouse {
  /** The rows of a query, each with its values in the order of the columns. Integers of 64 bits and more come as text. */
  readonly rows: (query: string, parameters?: Bound) => Effect.Effect<readonly (readonly unknown[])[]>
  readonly insert: (
    table: string,
    columns: readonly string[],
    rows: readonly (readonly Cell[])[]
  ) => Effect.Effect<void>
  readonly run: (statement: string, parameters?: Bound) => Effect.Effect<void>
}

/** Patience with one statement, beside the deadline that its caller has. */
const requestTimeoutMillis = 300_000

const readSettings = {
  // Of rows that came more than once one counts. They are in one partition, because they are equal.
  do_not_merge_across_partitions_select_final: 1,
  output_format_json_quote_64bit_integers: 1,
  // Nobody waits for the answer of a closed connection.
  cancel_http_readonly_queries_on_client_close: 1
} as const

const writeSettings = {
  // A report may have events of any month.
  max_partitions_per_insert_block: "0",
  // On a cluster an insert is acknowledged once the shards have its rows.
  distributed_foreground_insert: 1,
  // Two equal rows of the same moment are two marks.
  insert_deduplicate: 0,
  wait_end_of_query: 1
} as const

const failing = <A>(ask: (signal: AbortSignal) => Promise<A>): Effect.Effect<A> =>
  Effect.catch(
    Effect.tryPromise({ try: ask, catch: (cause) => cause }),
    // The engine's own refusals have a code.
    (cause) => Effect.die(hasCode(cause) ? cause : new StoreUnavailable({ cause }))
  )

const hasCode = (cause: unknown): boolean =>
  typeof cause === "object" && cause !== null && "type" in cause && "code" in cause && /^\d+$/.test(String(cause.code))

/** Connects when it is asked for the first time; closes with the scope. */
export const openClickhouse = ({ url }: ClickhouseOptions): Effect.Effect<Clickhouse, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() =>
        createClient({
          url: Redacted.value(url),
          application: "gatewarden",
          request_timeout: requestTimeoutMillis,
          log: { level: ClickHouseLogLevel.OFF }
        })
      ),
      (client) => Effect.promise(() => client.close())
    ),
    (client): Clickhouse => ({
      rows: (query, parameters) =>
        failing(async (abort_signal) => {
          const result = await client.query({
            query,
            format: "JSONCompactEachRow",
            query_params: { ...parameters },
            clickhouse_settings: readSettings,
            abort_signal
          })
          return result.json<readonly unknown[]>()
        }),
      insert: (table, columns, rows) =>
        failing((abort_signal) => {
          const [first, ...more] = columns
          return client.insert({
            table,
            ...(first === undefined ? {} : { columns: [first, ...more] }),
            values: [...rows],
            format: "JSONCompactEachRow",
            clickhouse_settings: writeSettings,
            abort_signal
          })
        }),
      run: (query, parameters) =>
        failing((abort_signal) =>
          client.command({
            query,
            query_params: { ...parameters },
            clickhouse_settings: { ...readSettings, ...writeSettings, mutations_sync: "2" },
            abort_signal
          })
        )
    })
  )
