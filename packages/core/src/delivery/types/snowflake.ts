/**
 * Snowflake: rows for the SQL API. The table is the one of docs/destination-tables.md.
 *
 * All rows of a request are one bound text, so that no value is part of the statement. `requestId` depends on the events and `retry=true`
 * tells Snowflake that it may have the request already: it then answers with the result of the first one and inserts nothing.
 *
 * Source: https://docs.snowflake.com/en/developer-guide/sql-api/submitting-requests,
 * https://docs.snowflake.com/en/developer-guide/sql-api/reference (answers),
 * https://docs.snowflake.com/en/developer-guide/sql-api/authenticating (programmatic access tokens),
 * https://docs.snowflake.com/en/user-guide/admin-account-identifier (underscores in URLs),
 * https://docs.snowflake.com/en/sql-reference/data-types-text (16 MB a text)
 */
import { Effect } from "effect"
import { joinBytes } from "../../value/bytes.ts"
import {
  type ConfigOf,
  type DeliveryVerdict,
  addressOfHost,
  encodeJson,
  jsonText,
  judgeStatus,
  uuidOf
} from "../rendering/Renderer.ts"
import { batchRenderer, type UnsentRequest } from "../rendering/batchRenderer.ts"
import { below } from "../rendering/Span.ts"
import { type ColumnKind, traceColumns, traceRow } from "../rendering/traceRow.ts"

type Config = ConfigOf<"snowflake">

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** The account's own address, unless the config names another, such as a proxy's. */
const addressOf = ({ account, host = `${account.replaceAll("_", "-")}.snowflakecomputing.com` }: Config): string =>
  below(addressOfHost(host), "/api/v2/statements")

/** How a column reads its member of a row. JSON's `null` is no value. */
const readAs: Readonly<Record<ColumnKind, (member: string) => string>> = {
  text: (member) => `${member}::VARCHAR`,
  instant: (member) => `${member}::VARCHAR::TIMESTAMP_TZ`,
  integer: (member) => `${member}::NUMBER(38, 0)`,
  milliseconds: (member) => `${member}::DOUBLE`,
  usd: (member) => `${member}::VARCHAR::NUMBER(38, 9)`,
  json: (member) => `STRIP_NULL_VALUE(${member})`
}

const columns = Object.entries(traceColumns)

const insertRows = [
  ` (${columns.map(([name]) => name).join(", ")})`,
  ` SELECT ${columns.map(([name, kind]) => readAs[kind](`r.value:${name}`)).join(", ")}`,
  " FROM TABLE(FLATTEN(INPUT => PARSE_JSON(?))) r"
].join("")

const utf8 = new TextEncoder()
const comma = utf8.encode(",")

/** Rows within a JSON text that is itself a string in the JSON of the request. */
const within = (row: unknown): Uint8Array => utf8.encode(JSON.stringify(jsonText(row)).slice(1, -1))

const requestOf = (config: Config, rows: readonly Uint8Array[], requestId: string): UnsentRequest => {
  const { token, database, schema, table, warehouse } = config
  const statement = `INSERT INTO ${quoted(database)}.${quoted(schema)}.${quoted(table)}${insertRows}`
  const around = encodeJson({
    statement,
    timeout: 60,
    database,
    schema,
    warehouse,
    bindings: { 1: { type: "TEXT", value: "[]" } }
  })
  // Where the list of rows ends: `]"}}}`.
  const end = around.length - 5
  return {
    url: `${addressOf(config)}?requestId=${requestId}&retry=true`,
    headers: {
      "content-type": "application/json",
      accept: "application/json",
      "user-agent": "gatewarden",
      authorization: `Bearer ${token}`,
      "x-snowflake-authorization-token-type": "PROGRAMMATIC_ACCESS_TOKEN"
    },
    body: joinBytes([
      around.subarray(0, end),
      ...rows.flatMap((row, index) => (index === 0 ? [row] : [comma, row])),
      around.subarray(end)
    ])
  }
}

export const snowflake = batchRenderer({
  type: "snowflake",
  // The bound text stays below what a text may have, of which escapes take a part.
  limits: { events: 1000, bytes: 8_000_000 },
  encode: (_, request) => within(traceRow(request)),
  join: (config, rows, ids) => {
    const { account, database, schema, table } = config
    return Effect.succeed(requestOf(config, rows, uuidOf("snowflake", account, database, schema, table, ...ids)))
  },
  // Inserts no rows, for which the table, its columns, the warehouse and the privileges have to be there. A test is a request of its own.
  probe: (config, now) => Effect.succeed(requestOf(config, [], uuidOf("snowflake test", config.account, String(now)))),
  judge: (status, body) => judgeSnowflake(status, body)
})

/** Classes of SQLSTATE for which the values of the rows are at fault: data exception, constraint violation. 22000 is anything. */
const isFaultOfRows = (sqlState: string): boolean => /^2[23]/.test(sqlState) && sqlState !== "22000"

/** Messages may repeat values of rows, so that only codes are told. */
const judgeSnowflake = (status: number, body: string): DeliveryVerdict => {
  // Still at work: the same request, which has the same id, tells how it ended.
  if (status === 202) return { kind: "retry", message: "Snowflake still executes the statement." }
  if (status !== 422) return judgeStatus(status)
  const code = /"code"\s*:\s*"(\w{1,12})"/.exec(body)?.[1] ?? "unknown"
  const sqlState = /"sqlState"\s*:\s*"(\w{5})"/.exec(body)?.[1] ?? ""
  const message = `Snowflake could not execute the statement: code ${code}, SQLSTATE ${sqlState === "" ? "unknown" : sqlState}.`
  return { kind: isFaultOfRows(sqlState) ? "refused" : "retry", message }
}
