/** What the database, or the way to it, said: the first line of the innermost message. For the operator, never for a response. */
import type { SqlError } from "effect/sql"

export const describeSqlError = (error: SqlError.SqlError): string => {
  const cause: unknown = error.reason.cause
  // A host name with several addresses fails with one error for each, and with none of its own.
  const inner: unknown = cause instanceof AggregateError && cause.message === "" ? cause.errors[0] : cause
  const said = inner instanceof Error && inner.message !== "" ? inner.message : error.message
  return said.split("\n")[0] ?? said
}
