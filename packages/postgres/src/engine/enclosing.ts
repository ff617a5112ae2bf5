/**
 * Whether work stands in a transaction that encloses whole ports, as one stands in a host's: asked here, so that no port has to.
 *
 * In such a transaction nobody works for others nor others for him, what failed once answers nothing any more, and what was done is undone
 * by whoever opened it.
 */
import { Context, Effect } from "effect"
import type { SqlClient } from "effect/sql"

/** The client whose transaction encloses whole ports; none by default. */
const EnclosingTransaction = Context.Reference<SqlClient.SqlClient | undefined>("gatewarden/EnclosingTransaction", {
  defaultValue: () => undefined
})

/** Runs work within the transaction that a client is in. */
export const enclosedBy =
  (sql: SqlClient.SqlClient) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(work, EnclosingTransaction, sql)

/** One of two ways to do the same. */
export const whetherEnclosed = <A, E, R, B, F, S>(
  enclosed: (sql: SqlClient.SqlClient) => Effect.Effect<A, E, R>,
  alone: Effect.Effect<B, F, S>
): Effect.Effect<A | B, E | F, R | S> =>
  Effect.flatMap(EnclosingTransaction, (sql): Effect.Effect<A | B, E | F, R | S> =>
    sql === undefined ? alone : enclosed(sql)
  )

/** What is done only where nothing encloses it. */
export const unlessEnclosed = <E, R>(work: Effect.Effect<void, E, R>): Effect.Effect<void, E, R> =>
  whetherEnclosed(() => Effect.void, work)
