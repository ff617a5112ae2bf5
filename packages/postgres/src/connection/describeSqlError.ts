/** What the database, or the way to it, said: the first line of the innermost message. For the operator, never for a response. */
import type { SqlError } from "effect/sql"
import { sqlState } from "../statements/statements.ts"

export const describeSqlError = (error: SqlError.SqlError): string => {
  const cause: unknown = error.reason.cause
  // A host name with several addresses fails with one error for each, and with none of its own.
  const inner: unknown = cause instanceof AggregateError && cause.message === "" ? cause.errors[0] : cause
  const said = inner instanceof Error && inner.message !== "" ? inner.message : error.message
  return said.split("\n")[0] ?? said
}

/** PostgreSQL quotes the value itself in the message of a data exception. */
const quotesValues = (state: string): boolean => state.startsWith("22")

/** Why the database refused a statement, as its code and what it said, without values: `42P01 relation "x" does not exist`. */
export const describeRefusal = (error: SqlError.SqlError): string => {
  const state = sqlState(error)
  return quotesValues(state) ? state : `${state} ${describeSqlError(error)}`.trim()
}
