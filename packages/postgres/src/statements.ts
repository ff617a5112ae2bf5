/**
 * Runs statements for ports, which fail only with what a caller can act on: everything else that SQL can do wrong dies here.
 *
 * Source: decisions 4: the store being down is 500 `store_unavailable`, a commit whose outcome is unknown `outcome_unknown`.
 */
import { OutcomeUnknown, StoreUnavailable } from "@gatewarden/core/effect"
import { Context, Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

/** The connection broke: before the statement was sent, or at a moment nobody can tell. */
const brokeWhile = (error: SqlError.SqlError): "connecting" | "running" | undefined => {
  const reason = error.reason
  if (reason._tag === "ConnectionError" || reason._tag === "AuthenticationError")
    return reason.operation === "query" ? "running" : "connecting"
  // A backend that is told to stop reports it before it commits anything.
  return sqlState(error).startsWith("57P") ? "connecting" : undefined
}

/** The five characters by which PostgreSQL names an error. */
export const sqlState = (error: SqlError.SqlError): string => {
  const cause: unknown = error.reason.cause
  return typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : ""
}

type Statement<A, R> = Effect.Effect<A, SqlError.SqlError, R>

/** A statement that changes nothing. */
export const reading = <A, R>(statement: Statement<A, R>): Effect.Effect<A, never, R> =>
  Effect.catch(statement, (error) =>
    Effect.die(brokeWhile(error) === undefined ? error : new StoreUnavailable({ cause: error }))
  )

/** Whether a statement is to have a connection to itself while it runs, where there are several. */
export const WritesAlone = Context.Reference<boolean>("gatewarden/WritesAlone", { defaultValue: () => false })

/** A statement that changes rows: a broken connection leaves its outcome unknown. */
export const writing = <A, R>(statement: Statement<A, R>): Effect.Effect<A, never, R> =>
  Effect.provideService(Effect.catch(statement, dieWriting), WritesAlone, true)

/** What `writing` makes of an error. */
export const dieWriting = (error: SqlError.SqlError): Effect.Effect<never> => {
  const broke = brokeWhile(error)
  if (broke === undefined) return Effect.die(error)
  return Effect.die(broke === "running" ? new OutcomeUnknown({ cause: error }) : new StoreUnavailable({ cause: error }))
}

/**
 * The client whose transaction encloses whole ports; none by default. A refused statement would end that transaction, so one
 * whose refusal is an answer stands on a savepoint there.
 */
export const EnclosingTransaction = Context.Reference<SqlClient.SqlClient | undefined>(
  "gatewarden/EnclosingTransaction",
  { defaultValue: () => undefined }
)

const refusable = <A, R>(statement: Statement<A, R>): Statement<A, R> =>
  Effect.flatMap(EnclosingTransaction, (sql) => (sql === undefined ? statement : sql.withTransaction(statement)))

/** A unique index refused the row: the port answers that something is taken. */
export const whenTaken = <A, B, R>(statement: Statement<A, R>, taken: B): Statement<A | B, R> =>
  Effect.catch(refusable(statement), (error): Statement<A | B, never> =>
    error.reason._tag === "UniqueViolation" ? Effect.succeed(taken) : Effect.fail(error)
  )

/** The row refers to something that does not exist (any more): the port answers that it is missing. */
export const unlessMissing = <A, B, R>(statement: Statement<A, R>, missing: B): Statement<A | B, R> =>
  Effect.catch(refusable(statement), (error): Statement<A | B, never> =>
    sqlState(error) === "23503" ? Effect.succeed(missing) : Effect.fail(error)
  )
