import { documentedColumns, fitsColumn } from "../documentedTable.ts"
import { type PlatformRules, startPlatformIntake } from "./PlatformIntake.ts"

const access = {
  database: "we`ird\\db",
  table: "GATEWARDEN_TRACES",
  username: "default",
  password: "loopback-0123456789"
}

export type ClickhouseRow = Readonly<Record<string, unknown>>

/** Source: https://clickhouse.com/docs/sql-reference/syntax#identifiers */
const insertion = /^INSERT INTO `((?:[^`\\]|\\[`\\])+)`\.`((?:[^`\\]|\\[`\\])+)` FORMAT JSONEachRow$/

const unquoted = (name: string): string => name.replace(/\\(.)/g, "$1")

const settings = new Set([
  "wait_end_of_query",
  "async_insert",
  "date_time_input_format",
  "input_format_skip_unknown_fields",
  "input_format_null_as_default",
  "insert_deduplication_token",
  "throw_if_no_data_to_insert"
])

const exception = (code: number, name: string): string =>
  `Code: ${code}. DB::Exception: (${name}) (version 26.3.1.1 (official build))\n`

const linesOf = (body: Uint8Array): readonly ClickhouseRow[] | undefined => {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(body)
    return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as ClickhouseRow]))
  } catch {
    return undefined
  }
}

/** Source: https://clickhouse.com/docs/interfaces/http; the window of a table is the one of docs/destination-tables.md. */
const rules = (): PlatformRules<"clickhouse", ClickhouseRow> => {
  const tokens = new Set<string>()
  const columns = documentedColumns("ClickHouse")
  return {
    type: "clickhouse",
    config: (host) => ({ ...access, host }),
    receive: ({ method, path, headers, body }, fault, hold) => {
      const url = new URL(path, "http://clickhouse")
      if (method !== "POST" || url.pathname !== "/") return fault(404, `${method} ${path}`)
      const { "x-clickhouse-user": user, "x-clickhouse-key": key } = headers
      if (user !== access.username || key !== access.password)
        return fault(403, "Credentials", exception(516, "AUTHENTICATION_FAILED"))
      const unknown = [...url.searchParams.keys()].find((name) => name !== "query" && !settings.has(name))
      if (unknown !== undefined) return fault(404, unknown, exception(115, "UNKNOWN_SETTING"))
      const [, database = "", table = ""] = insertion.exec(url.searchParams.get("query") ?? "") ?? []
      if (database === "") return fault(400, "Syntax", exception(62, "SYNTAX_ERROR"))
      if (unquoted(database) !== access.database || unquoted(table) !== access.table)
        return fault(404, "Table", exception(60, "UNKNOWN_TABLE"))
      const rows = linesOf(body)
      if (rows === undefined) return fault(400, "JSON", exception(117, "INCORRECT_DATA"))
      if (rows.length === 0)
        return url.searchParams.get("throw_if_no_data_to_insert") === "0"
          ? { status: 200 }
          : fault(400, "No rows", exception(108, "NO_DATA_TO_INSERT"))
      for (const row of rows)
        for (const [name, type] of columns)
          if (!fitsColumn(type, row[name])) return fault(400, `${name}: ${type}`, exception(53, "TYPE_MISMATCH"))
      const token = url.searchParams.get("insert_deduplication_token")
      if (token !== null && tokens.has(token)) return { status: 200 }
      if (token !== null) tokens.add(token)
      for (const row of rows) hold(row)
      return { status: 200 }
    }
  }
}

/** Empty at each start. */
export const startClickhouse = () => startPlatformIntake(rules())
