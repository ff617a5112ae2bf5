/**
 * Tells whether a call of a port runs within a transaction that the host opened. Only this file knows, so that no port has to ask.
 *
 * Within such a transaction a request shares no batch with others, every statement after a failed one fails too, and the host may roll
 * back what a port has written.
 */
import { Context, Effect } from "effect"
import type { SqlClient } from "effect/sql"

/** The client whose transaction encloses calls of ports; undefined by default. */
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
