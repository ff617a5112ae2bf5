import type { RunWrite } from "./FixedStatements.ts"
import type { Write } from "./acting.ts"
import type { Columns } from "./rows.ts"

/** Refuses more; the row is `t`. */
export type Guard = (valueOf: (column: string) => string) => string

/** By what they are made of. There are as many as there are sets of fields that someone changes together. */
const texts = new Map<string, Write>()
const mostTexts = 1_000

const makeText = (
  table: string,
  keys: readonly string[],
  names: readonly string[],
  guard: Guard | undefined
): Write => {
  const valueOf = (column: string) => `$${names.indexOf(column) + keys.length + 2}`
  const rest = ` ${table} t set
    ${names.map((name) => `"${name}" = ${valueOf(name)}`).join(", ")},
    updated_at = case when ${names.map((name) => `t."${name}" is distinct from ${valueOf(name)}`).join(" or ")}
      then $1::timestamptz else t.updated_at end
    where ${keys.map((name, index) => `t."${name}" = $${index + 2}`).join(" and ")}${guard === undefined ? "" : ` and ${guard(valueOf)}`}
    returning t.*`
  return { word: "update", rest }
}

const textOf = (table: string, keys: readonly string[], names: readonly string[], guard: Guard | undefined): Write => {
  const shape = `${table} ${keys.join()} ${names.join()} ${guard === undefined ? "" : "guarded"}`
  const kept = texts.get(shape)
  if (kept !== undefined) return kept
  const [oldest] = texts.size >= mostTexts ? texts.keys() : []
  if (oldest !== undefined) texts.delete(oldest)
  const made = makeText(table, keys, names, guard)
  texts.set(shape, made)
  return made
}

/**
 * Sets columns of the row that is the caller's `own`, and `updated_at` exactly when that changes something: it is decided on the
 * row that is written, in one statement, which answers it. `guard` refuses more, given the parameter of a column's new value; a
 * table has one.
 *
 * The text is put together by hand, which costs a tenth of what fragments do, and kept. Columns are named by the stores' types, never
 * by who sends a request.
 */
export const updateRow = (write: RunWrite, table: string, own: Columns, columns: Columns, now: string, guard?: Guard) =>
  write(textOf(table, Object.keys(own), Object.keys(columns), guard), [
    now,
    ...Object.values(own),
    ...Object.values(columns)
  ])
