/** The tables that docs/destination-tables.md tells users to create. */
import { readFileSync } from "node:fs"

export type DocumentedDatabase = "ClickHouse" | "Snowflake"

const page = (): string => readFileSync(new URL("../../../../docs/destination-tables.md", import.meta.url), "utf8")

/** The statement that creates the table of that database. */
export const createTable = (database: DocumentedDatabase): string => {
  const [, section = ""] = page().split(`## ${database}\n`)
  return /```sql\n([\s\S]*?)```/.exec(section)?.[1] ?? ""
}

/** Its columns with their types, in order. */
export const documentedColumns = (database: DocumentedDatabase): ReadonlyMap<string, string> =>
  new Map(
    Array.from(createTable(database).matchAll(/^ {2}([A-Z_]+) (.+?),?$/gm), ([, name = "", type = ""]) => [name, type])
  )

const isText = (value: unknown) => typeof value === "string"
const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0
const isNumber = (value: unknown) => typeof value === "number" && Number.isFinite(value)
const isAmount = (value: unknown) => isText(value) && /^\d{1,10}(?:\.\d{1,9})?$/.test(String(value))
const isInstant = (value: unknown) => isText(value) && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(String(value))

/** Whether a database takes a JSON value into a column of that type. */
export const fitsColumn = (type: string, value: unknown): boolean => {
  const inner = /^(?:Nullable|LowCardinality)\((.*)\)$/.exec(type)?.[1]
  if (inner !== undefined) return (value === null && type.includes("Nullable")) || fitsColumn(inner, value)
  if (type === "String") return isText(value)
  if (type === "UInt64") return isCount(value)
  if (type === "Float64") return isNumber(value)
  if (type.startsWith("Decimal")) return isAmount(value)
  if (type.startsWith("DateTime64")) return isInstant(value)
  // Snowflake's columns may be null.
  if (value === null || type === "VARIANT") return true
  if (type === "VARCHAR") return isText(value)
  if (type === "NUMBER(38, 0)") return isCount(value)
  if (type === "NUMBER(38, 9)") return isAmount(value)
  if (type === "DOUBLE") return isNumber(value)
  return type === "TIMESTAMP_TZ(3)" && isInstant(value)
}
