/** An invoice as CSV: a line for each row, and the total as the last line. */
import type { Invoice } from "@gatewarden/contract"
import { csvCell, safeCsvCell } from "../../value/csvCell.ts"

const columns = [
  "month",
  "line",
  "entity",
  "requests",
  "prompt_tokens",
  "completion_tokens",
  "cost_usd",
  "byok_cost_usd",
  "fees_usd",
  "is_final",
  "name"
] as const

type Line = Readonly<Partial<Record<string, unknown>>>

/** Yields between lines, because there may be a hundred thousand. */
export function* invoiceCsv(
  { month, by, is_final, rows, total }: Invoice,
  isSafe: boolean
): Generator<void, readonly string[]> {
  const print = isSafe ? safeCsvCell : csvCell
  const lineOf = (sums: Line, line: string): string => {
    const fields: Line = { ...sums, month, line, is_final }
    return `${columns.map((name) => print(fields[name] == null ? "" : String(fields[name]))).join(",")}\r\n`
  }
  const lines = [`${columns.join(",")}\r\n`]
  for (const row of rows) {
    lines.push(lineOf(row, by))
    yield
  }
  lines.push(lineOf(total, "total"))
  return lines
}
