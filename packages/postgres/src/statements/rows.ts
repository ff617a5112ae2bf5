/**
 * The only converter between columns and domain values: times, integers and money.
 *
 * The driver gives `timestamptz` as Date, `int8` as bigint, `numeric` as string; the contract wants ISO strings, numbers
 * and USD. A column that ends in `_nanos` holds nano-dollars and becomes the field without that ending's unit.
 */
import { parseUsd, usdNumber } from "@gatewarden/core/internal"

/** A row as the driver gives it. */
export type Columns = Readonly<Record<string, unknown>>

/** The domain value of one column. */
export const valueOf = (column: unknown): unknown => {
  if (typeof column === "bigint") return Number(column)
  if (typeof column !== "object" || column === null) return column
  if (column instanceof Date) return column.toISOString()
  return Array.isArray(column) ? column.map(valueOf) : column
}

/** What `readPage` selects in every row beside the columns: the count of the list, and the row's place and bytes in the page. */
export const listColumns = { count: "total_count", row: "page_row", bytes: "page_bytes" } as const

const isOfList = (name: string): boolean =>
  name === listColumns.count || name === listColumns.row || name === listColumns.bytes

/**
 * A domain value from columns of the same names. The conformance suite proves the shape that the caller names. Lists of many rows are
 * read field by field instead: an object that is made at once costs a third of one that grows.
 */
export const fromRow = <T>(columns: Columns): T => {
  const row: Record<string, unknown> = {}
  for (const name in columns) if (!isOfList(name)) row[name] = valueOf(columns[name])
  return row as T
}

/** The instant of a `timestamptz` that is not null. */
export const timestampOf = (column: unknown): string => valueOf(column) as string

/** The instant of a `timestamptz`. */
export const instantOf = (column: unknown): string | null => (column === null ? null : timestampOf(column))

/** USD of the wire from nano-dollars. */
export const usdOf = (nanos: unknown): number | null => (typeof nanos === "bigint" ? usdNumber(nanos) : null)

/** The same from digits, as JSON carries them. */
export const nanosText = (nanos: string): number => usdNumber(BigInt(nanos))

/** Columns as the JSON of a statement: integers as text, which keeps them exact. */
export const inJson = (columns: unknown): string =>
  JSON.stringify(columns, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value))

/** Nano-dollars from USD that the contract has checked. */
export const nanosOf = (usd: number | null): bigint | null => (usd === null ? null : (parseUsd(usd) ?? null))
