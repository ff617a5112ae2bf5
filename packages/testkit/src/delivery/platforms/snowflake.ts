import * as z from "zod"
import { documentedColumns, fitsColumn } from "../documentedTable.ts"
import type { IntakeAnswer } from "./OtlpIntake.ts"
import { type PlatformRules, readJson, startPlatformIntake } from "./PlatformIntake.ts"

const config = {
  account: "org_name-xy12345.us-east-1",
  token: "pat_loopback0123456789",
  database: 'we"ird; DROP',
  schema: "PUBLIC",
  table: "GATEWARDEN_TRACES",
  warehouse: "COMPUTE_WH"
}

export type SnowflakeRow = Readonly<Record<string, unknown>>

const statement = z.strictObject({
  statement: z.string().max(1_000_000),
  timeout: z.int().min(0),
  database: z.literal(config.database),
  schema: z.literal(config.schema),
  warehouse: z.literal(config.warehouse),
  bindings: z.strictObject({ 1: z.strictObject({ type: z.literal("TEXT"), value: z.string().max(16_777_216) }) })
})

/** Source: https://docs.snowflake.com/en/sql-reference/identifiers-syntax */
const insertion =
  /^INSERT INTO ("(?:[^"]|"")+")\.("(?:[^"]|"")+")\.("(?:[^"]|"")+") \(([A-Z_, ]+)\) SELECT (.+) FROM TABLE\(FLATTEN\(INPUT => PARSE_JSON\(\?\)\)\) r$/

const unquoted = (name: string): string => name.slice(1, -1).replaceAll('""', '"')

/** How a member of a row becomes a value of that type. */
const reading = (name: string, type: string): string =>
  ({
    VARCHAR: `r.value:${name}::VARCHAR`,
    "TIMESTAMP_TZ(3)": `r.value:${name}::VARCHAR::TIMESTAMP_TZ`,
    "NUMBER(38, 0)": `r.value:${name}::NUMBER(38, 0)`,
    "NUMBER(38, 9)": `r.value:${name}::VARCHAR::NUMBER(38, 9)`,
    DOUBLE: `r.value:${name}::DOUBLE`,
    VARIANT: `STRIP_NULL_VALUE(r.value:${name})`
  })[type] ?? ""

const error = (code: string, sqlState: string): string =>
  JSON.stringify({ code, sqlState, message: "SQL compilation error", statementHandle: "01b2" })

const rowsOf = (text: string): readonly SnowflakeRow[] | undefined => {
  try {
    return JSON.parse(text) as readonly SnowflakeRow[]
  } catch {
    return undefined
  }
}

/** Source: https://docs.snowflake.com/en/developer-guide/sql-api/reference; the table is the one of docs/destination-tables.md. */
const rules = (): PlatformRules<"snowflake", SnowflakeRow> => {
  const answers = new Map<string, IntakeAnswer>()
  const columns = documentedColumns("Snowflake")
  return {
    type: "snowflake",
    config: (host) => ({ ...config, host }),
    receive: ({ method, path, headers, body }, fault, hold) => {
      const url = new URL(path, "http://snowflake")
      if (method !== "POST" || url.pathname !== "/api/v2/statements") return fault(405, `${method} ${path}`)
      if (
        headers.authorization !== `Bearer ${config.token}` ||
        headers["x-snowflake-authorization-token-type"] !== "PROGRAMMATIC_ACCESS_TOKEN"
      )
        return fault(401, "Credentials", error("390303", "08004"))
      if (headers.accept !== "application/json" || (headers["user-agent"] ?? "") === "") return fault(400, "Headers")
      const read = statement.safeParse(readJson(body))
      if (!read.success) return fault(400, read.error.message)
      const requestId = url.searchParams.get("requestId") ?? ""
      if (!z.uuid().safeParse(requestId).success || url.searchParams.get("retry") !== "true")
        return fault(400, "requestId")
      const before = answers.get(requestId)
      if (before !== undefined) return before
      const [, database = "", schema = "", table = "", names = "", readings = ""] =
        insertion.exec(read.data.statement) ?? []
      if (database === "") return fault(422, "Syntax", error("001003", "42601"))
      if (
        unquoted(database) !== config.database ||
        unquoted(schema) !== config.schema ||
        unquoted(table) !== config.table
      )
        return fault(422, "Table", error("002003", "42S02"))
      const expected = Array.from(columns, ([name, type]) => reading(name, type)).join(", ")
      if (names !== [...columns.keys()].join(", ") || readings !== expected)
        return fault(422, "Columns", error("000904", "42000"))
      const rows = rowsOf(read.data.bindings[1].value)
      if (!Array.isArray(rows)) return fault(422, "JSON", error("100069", "22P02"))
      for (const row of rows as readonly SnowflakeRow[])
        for (const [name, type] of columns)
          if (!(name in row) || !fitsColumn(type, row[name]))
            return fault(422, `${name}: ${type}`, error("100038", "22018"))
      for (const row of rows as readonly SnowflakeRow[]) hold(row)
      const answer = {
        status: 200,
        body: JSON.stringify({ code: "090001", statementHandle: "01b2", data: [[String(rows.length)]] })
      }
      answers.set(requestId, answer)
      return answer
    }
  }
}

/** Empty at each start. */
export const startSnowflake = () => startPlatformIntake(rules())
