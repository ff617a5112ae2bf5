/**
 * Runs statements for ports, which fail only with what a caller can act on: everything else that SQL can do wrong dies here.
 *
 * Rule: errors#store-failures: the store being down is 500 `store_unavailable`, a commit whose outcome is unknown
 * `outcome_unknown`.
 */
import { Acts, LedgerClock, OutcomeUnknown, StoreUnavailable } from "@gatewarden/core/store"
import { Cause, Clock, Context, Effect, Schedule } from "effect"
import { type SqlClient, SqlError, Statement as SqlStatement } from "effect/sql"
import { Unhurried } from "../transfer/transferTransaction.ts"
import { naming } from "./acting.ts"

/**
 * Tells whether a call of a port runs within a transaction that the host opened. Only this file knows, so that no port has to ask.
 *
 * Within such a transaction a request shares no batch with others, every statement after a failed one fails too, and the host may roll
 * back what a port has written.
 *
 * The client whose transaction encloses calls of ports; undefined by default.
 */
const EnclosingTransaction = Context.Reference<SqlClient.SqlClient | undefined>("gatewarden/EnclosingTransaction", {
  defaultValue: () => undefined
})

/** Runs an effect within the transaction of a client. */
export const enclosedBy =
  (sql: SqlClient.SqlClient) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(work, EnclosingTransaction, sql)

/** Chooses between two ways to do the same: within a transaction of the host, and outside. */
export const whetherEnclosed = <A, E, R, B, F, S>(
  enclosed: (sql: SqlClient.SqlClient) => Effect.Effect<A, E, R>,
  alone: Effect.Effect<B, F, S>
): Effect.Effect<A | B, E | F, R | S> =>
  Effect.flatMap(EnclosingTransaction, (sql): Effect.Effect<A | B, E | F, R | S> =>
    sql === undefined ? alone : enclosed(sql)
  )

/** Runs an effect only outside a transaction of the host. */
export const unlessEnclosed = <E, R>(work: Effect.Effect<void, E, R>): Effect.Effect<void, E, R> =>
  whetherEnclosed(() => Effect.void, work)

/** Errors of statements that changed nothing and may succeed when they are repeated. */
const passing: readonly SqlError.SqlErrorReason["_tag"][] = [
  "LockTimeoutError",
  "StatementTimeoutError",
  "DeadlockError",
  "SerializationError"
]

/** The database is read-only: a standby, or a primary whose provider made it so because its disk is full. */
const readOnly = "25006"

/** The connection broke: with nothing committed, or at a moment nobody can tell. Undefined when the database does answer. */
const brokeWhile = (error: SqlError.SqlError): "idle" | "running" | undefined => {
  const reason = error.reason
  if (reason._tag === "ConnectionError" || reason._tag === "AuthenticationError")
    return reason.operation === "query" ? "running" : "idle"
  const state = sqlState(error)
  // Another process of the server crashed, which ends this one wherever it stands: in the midst of a commit as well.
  if (state === "57P02") return "running"
  // A backend that is told to stop, starts up, has no room or takes no writes reports it before it commits anything.
  return state.startsWith("57P") || state.startsWith("53") || state === readOnly ? "idle" : undefined
}

/** The five characters by which PostgreSQL names an error. */
export const sqlState = (error: SqlError.SqlError): string => {
  const cause: unknown = error.reason.cause
  return typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : ""
}

type Statement<A, R> = Effect.Effect<A, SqlError.SqlError, R>

/** The database refused what the statement asked for, and kept nothing of it: sent again it is refused again. */
export const isRefused = (error: SqlError.SqlError): boolean =>
  brokeWhile(error) === undefined && !passing.includes(error.reason._tag)

/** Of a statement that has changed nothing, whatever went wrong. */
const unavailable = (error: SqlError.SqlError): unknown =>
  isRefused(error) ? error : new StoreUnavailable({ cause: error })

/** Of a statement that may have been carried out. */
const unknown = (error: SqlError.SqlError): unknown =>
  brokeWhile(error) === "running" ? new OutcomeUnknown({ cause: error }) : unavailable(error)

/**
 * Dies with what a failure means. A transaction that cannot be rolled back, because its connection is gone, dies by itself: the
 * server has undone it.
 */
const dying = (meaning: (error: SqlError.SqlError) => unknown) => {
  const die = <E>(cause: Cause.Cause<E>): Effect.Effect<never, Exclude<E, SqlError.SqlError>> => {
    for (const reason of cause.reasons) {
      if (Cause.isFailReason(reason) && SqlError.isSqlError(reason.error)) return Effect.die(meaning(reason.error))
      if (Cause.isDieReason(reason) && SqlError.isSqlError(reason.defect)) return Effect.die(unavailable(reason.defect))
    }
    return Effect.failCause(cause as Cause.Cause<Exclude<E, SqlError.SqlError>>)
  }
  return <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, Exclude<E, SqlError.SqlError>, R> =>
    Effect.catchCause(effect, die<E>)
}

/** A statement whose rows nobody sees before another one takes them up: without its answer it has done nothing. */
export const staging: <A, R>(statement: Statement<A, R>) => Effect.Effect<A, never, R> = dying(unavailable)

/** What lost one connection may have lost the others, which shows a moment later. */
const attempts = 3
const betweenAttempts = "10 millis"

/** A statement that changes nothing. It is sent again when its connection breaks: another one may do. */
export const reading = <A, R>(statement: Statement<A, R>): Effect.Effect<A, never, R> =>
  readingAgain(statement, attempts)

const readingAgain = <A, R>(statement: Statement<A, R>, left: number): Effect.Effect<A, never, R> =>
  Effect.catchCause(statement, (cause) =>
    left > 1 && isBroken(cause)
      ? Effect.andThen(Effect.sleep(betweenAttempts), readingAgain(statement, left - 1))
      : staging(Effect.failCause(cause))
  )

/** How long a reader of much may take that has no time of its own to keep; the wait for a connection is part of it. */
const patience = "60 seconds"

/** A statement that reads much, on a connection of its own: it is stopped when it takes too long. */
export const readingMuch = <A, R>(statement: Statement<A, R>): Effect.Effect<A, never, R> =>
  Effect.timeoutOrElse(reading(statement), {
    duration: patience,
    orElse: () => Effect.die(new StoreUnavailable({}))
  })

const isBroken = (cause: Cause.Cause<SqlError.SqlError>): boolean =>
  cause.reasons.some((reason) => {
    const error = Cause.isFailReason(reason) ? reason.error : Cause.isDieReason(reason) ? reason.defect : undefined
    return SqlError.isSqlError(error) && brokeWhile(error) !== undefined
  })

/** Sent so often at most when others stand in its way. */
const contestedAttempts = 5

const isContested = (error: SqlError.SqlError): boolean =>
  error.reason._tag === "DeadlockError" || error.reason._tag === "SerializationError"

/** How long whoever lost to others waits, on average: at first a little, then twice as long each time. */
const backOff = Schedule.exponential("4 millis").pipe(Schedule.jittered)

/** A transaction that failed once answers nothing any more: whoever opened it may try again. */
const whereAlone = <A, R>(statement: Statement<A, R>, retried: Statement<A, R>): Statement<A, R> =>
  whetherEnclosed(() => statement, retried)

/** A statement of which nothing is kept when it loses to others: it is sent again. */
export const retrying = <A, R>(statement: Statement<A, R>): Statement<A, R> =>
  whereAlone(
    statement,
    Effect.retry(statement, { while: isContested, times: contestedAttempts - 1, schedule: backOff })
  )

/** A statement that does nothing the second time: it is also sent again when nobody knows what became of it. */
export const repeating = <A, R>(statement: Statement<A, R>): Statement<A, R> =>
  whereAlone(
    statement,
    Effect.retry(retrying(statement), {
      while: (error) => brokeWhile(error) !== undefined,
      times: attempts - 1,
      schedule: Schedule.spaced(betweenAttempts)
    })
  )

/** Whether a statement is to have a connection to itself while it runs, where there are several. */
export const WritesAlone = Context.Reference<boolean>("gatewarden/WritesAlone", { defaultValue: () => false })

/** Whether all statements share one connection. */
export const OneConnection = Context.Reference<boolean>("gatewarden/OneConnection", { defaultValue: () => false })

/** A statement that changes rows: a broken connection leaves its outcome unknown. Other failures of the work stay what they are. */
export const writing = <A, E, R>(
  statement: Effect.Effect<A, E, R>
): Effect.Effect<A, Exclude<E, SqlError.SqlError>, R> =>
  Effect.withFiber((fiber) => {
    const alone = Effect.provideService(dying(unknown)(statement), WritesAlone, true)
    return Context.get(fiber.context, Acts) === undefined
      ? alone
      : Effect.provideService(alone, SqlStatement.CurrentTransformer, naming)
  })

/** A transaction on a connection of its own, in which a statement may take as long as its rows are many. */
export const unhurried =
  (sql: SqlClient.SqlClient) =>
  <A, E, R>(statement: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
    Effect.andThen(
      sql`select set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)`,
      statement
    ).pipe(sql.withTransaction, Effect.provideService(Unhurried, true))

/** A refused statement would end the transaction around it, so one whose refusal is an answer stands on a savepoint there. */
const refusable = <A, R>(statement: Statement<A, R>): Statement<A, R> =>
  whetherEnclosed((sql) => sql.withTransaction(statement), statement)

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

/** The current instant for a statement, as text; `null` stands for the clock of the database, on which all processes agree. */
export const askedInstant: Effect.Effect<string | null> = Effect.flatMap(LedgerClock, (kind) =>
  kind === "database" ? Effect.succeed(null) : Effect.map(Clock.currentTimeMillis, (now) => new Date(now).toISOString())
)

/** The same as an expression of a statement. */
export const instantIn = (sql: SqlClient.SqlClient): Effect.Effect<SqlStatement.Fragment> =>
  Effect.map(askedInstant, (now) => (now === null ? sql`now()` : sql`${now}::timestamptz`))
