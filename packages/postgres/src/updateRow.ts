import type { SqlClient } from "effect/sql"
import type { Columns } from "./rows.ts"

/**
 * Sets columns of the row that is the caller's `own`, and `updated_at` exactly when that changes something: it is decided on the
 * row that is written, in one statement, which answers it. `guard` refuses more, given the parameter of a column's new value.
 *
 * The text is put together by hand, which costs a tenth of what fragments do. Columns are named by the stores' types, never by
 * who sends a request.
 */
export const updateRow = (
  sql: SqlClient.SqlClient,
  table: string,
  own: Columns,
  columns: Columns,
  now: string,
  guard?: (valueOf: (column: string) => string) => string
) => {
  const keys = Object.keys(own)
  const names = Object.keys(columns)
  const valueOf = (column: string) => `$${names.indexOf(column) + keys.length + 2}`
  const text = `update ${table} set
    ${names.map((name) => `"${name}" = ${valueOf(name)}`).join(", ")},
    updated_at = case when ${names.map((name) => `"${name}" is distinct from ${valueOf(name)}`).join(" or ")}
      then $1::timestamptz else updated_at end
    where ${keys.map((name, index) => `"${name}" = $${index + 2}`).join(" and ")}${guard === undefined ? "" : ` and ${guard(valueOf)}`}
    returning *`
  return sql.unsafe<Columns>(text, [now, ...Object.values(own), ...Object.values(columns)])
}
