/**
 * ClickHouse: rows for the HTTP interface. The table is the one of docs/destination-tables.md.
 *
 * ClickHouse drops a block whose `insert_deduplication_token` it has seen within the window of the table. Fields for which the table has no
 * column are skipped.
 *
 * Source: https://clickhouse.com/docs/interfaces/http, https://clickhouse.com/docs/operations/settings/settings#insert_deduplication_token,
 * https://clickhouse.com/docs/sql-reference/syntax#identifiers,
 * https://github.com/ClickHouse/ClickHouse (`src/Processors/Formats/Impl/JSONEachRowRowInputFormat.cpp`, `src/Server/HTTPHandler.cpp`,
 * `src/Common/ErrorCodes.cpp`)
 */
import { Effect } from "effect"
import { joinBytes } from "../../value/bytes.ts"
import {
  type ConfigOf,
  type DeliveryVerdict,
  addressOfHost,
  basicAuth,
  encodeJson,
  jsonText,
  judgeStatus,
  uuidOf
} from "../rendering/Renderer.ts"
import { batchRenderer } from "../rendering/batchRenderer.ts"
import { type TraceColumn, traceColumns, traceRow } from "../rendering/traceRow.ts"

type Config = ConfigOf<"clickhouse">

const quoted = (name: string): string => `\`${name.replace(/[\\`]/g, "\\$&")}\``

/** Headers of ClickHouse are not decoded, so credentials beyond ASCII go as those of HTTP, which are UTF-8. */
const credentials = ({ username, password }: Config): Readonly<Record<string, string>> =>
  /^[\x21-\x7e]+$/.test(username + password)
    ? { "x-clickhouse-user": username, "x-clickhouse-key": password }
    : { authorization: basicAuth(username, password) }

const settings = {
  // The answer waits for the end, so that its status tells of a failure.
  wait_end_of_query: "1",
  // A block of its own for each request, whatever the profile of the user says: only such a block has a token.
  async_insert: "0",
  date_time_input_format: "best_effort",
  input_format_skip_unknown_fields: "1",
  input_format_null_as_default: "1"
}

const insert = (config: Config, more: Readonly<Record<string, string>>): string => {
  const query = `INSERT INTO ${quoted(config.database)}.${quoted(config.table)} FORMAT JSONEachRow`
  return `${addressOfHost(config.host)}/?${new URLSearchParams({ query, ...settings, ...more }).toString()}`
}

const cell = (column: string, value: unknown): unknown =>
  traceColumns[column as TraceColumn] === "json" ? (value === null ? "" : jsonText(value)) : value

const newline = new TextEncoder().encode("\n")

export const clickhouse = batchRenderer({
  type: "clickhouse",
  // ClickHouse takes much more; larger blocks gain little, and this is what one of the gateway's processes holds at a time.
  limits: { events: 1000, bytes: 10_000_000 },
  encode: (_, request) =>
    encodeJson(Object.fromEntries(Object.entries(traceRow(request)).map(([name, value]) => [name, cell(name, value)]))),
  join: (config, encoded, ids) =>
    Effect.succeed({
      url: insert(
        config,
        ids.length === 0
          ? { throw_if_no_data_to_insert: "0" }
          : { insert_deduplication_token: uuidOf("clickhouse", config.database, config.table, ...ids) }
      ),
      headers: { "content-type": "application/x-ndjson", ...credentials(config) },
      body: joinBytes(encoded.flatMap((row) => [row, newline]))
    }),
  judge: (status, body) => judgeClickhouse(status, body)
})

/** What the rows are at fault for: they would be refused again. Everything else may pass once somebody has changed something. */
const faultsOfRows: ReadonlyMap<number, string> = new Map([
  [6, "CANNOT_PARSE_TEXT"],
  [25, "CANNOT_PARSE_ESCAPE_SEQUENCE"],
  [26, "CANNOT_PARSE_QUOTED_STRING"],
  [27, "CANNOT_PARSE_INPUT_ASSERTION_FAILED"],
  [38, "CANNOT_PARSE_DATE"],
  [41, "CANNOT_PARSE_DATETIME"],
  [53, "TYPE_MISMATCH"],
  [69, "ARGUMENT_OUT_OF_BOUND"],
  [70, "CANNOT_CONVERT_TYPE"],
  [72, "CANNOT_PARSE_NUMBER"],
  [117, "INCORRECT_DATA"],
  [321, "VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE"],
  [349, "CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN"],
  [407, "DECIMAL_OVERFLOW"],
  [469, "VIOLATED_CONSTRAINT"]
])

/** An exception may come in the body of a 200. Its text may repeat values of rows, so that only its code is told, and a name that is no value. */
const judgeClickhouse = (status: number, body: string): DeliveryVerdict => {
  const code = /\bCode: (\d{1,5})\. DB::Exception/.exec(body)?.[1]
  if (code === undefined) return judgeStatus(status)
  const fault = faultsOfRows.get(Number(code))
  const name = fault ?? /\(([A-Z][A-Z0-9_]{2,80})\) \(version /.exec(body)?.[1]
  const message = `ClickHouse refused the rows with code ${code}${name === undefined ? "" : ` (${name})`}.`
  return { kind: fault === undefined ? "retry" : "refused", message }
}
