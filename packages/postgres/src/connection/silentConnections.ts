/**
 * Ends connections on which PostgreSQL does not answer. PostgreSQL itself cancels a statement that takes too long, but its answer does not arrive
 * if a firewall or proxy has dropped the connection, or if the server is frozen. TCP reports such a connection after about 15 minutes, or never
 * if a proxy acknowledges our packets.
 */
import type { PgConnection, PgPool } from "@effect/sql-pg"
import { Effect } from "effect"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import { Unhurried } from "../transfer/transferTransaction.ts"

/** The parts of a connection of `@effect/sql-pg` 4.0.5 that we use. */
interface Wire {
  readonly config: PgConnection.Config
  /** The error that ended the connection. */
  readonly deadWith: SqlError | undefined
  readonly session: { readonly socket: { destroy(): void } }
  /** Without multiplexing: the statement in flight. */
  readonly consumer: object | undefined
  /** With multiplexing: the statements in flight, of which the first `pipelineHead` are answered. */
  readonly pipelineInFlight: readonly object[]
  readonly pipelineHead: number
  /** Destroys the socket, and fails every statement in flight. */
  fatal(error: SqlError): void
}

/** A reserved connection is wrapped in a view. */
const wireOf = (session: PgConnection.PgConnection): Wire =>
  (session as unknown as { readonly base?: Wire }).base ?? (session as unknown as Wire)

/** The oldest statement in flight. PostgreSQL runs the statements of a connection one after the other. */
const statementOn = (wire: Wire): object | undefined =>
  wire.config.multiplex ? wire.pipelineInFlight[wire.pipelineHead] : wire.consumer

interface Watched {
  readonly pool: PgPool.PgPool
  /** The oldest statement in flight at the last look, and how many looks in a row have found it again. */
  statement: object | undefined
  looks: number
  /** The pool was told to close the connection. */
  isGivenUp: boolean
}

const longestIntervalMillis = 1_000

const silent = (limitMillis: number): SqlError => {
  const message = `PostgreSQL has not answered for ${limitMillis} ms`
  return new SqlError({ reason: new ConnectionError({ cause: new Error(message), message, operation: "query" }) })
}

/**
 * Makes a function that watches the connections of a pool, except while they are reserved for `Unhurried` work. A statement that is in flight
 * for longer than the limit fails like one whose connection breaks, at most a second later.
 *
 * One timer looks at all connections, so that a statement needs none. It counts looks instead of reading a clock: a process that was paused
 * receives the waiting answers before its next look.
 */
export const watchSilence = Effect.fnUntraced(function* (limitMillis: number) {
  const interval = Math.min(longestIntervalMillis, Math.ceil(limitMillis / 4))
  const mostLooks = Math.ceil(limitMillis / interval)
  const connections = new Map<Wire, Watched>()

  const isSilent = (wire: Wire, seen: Watched): boolean => {
    const statement = statementOn(wire)
    seen.looks = statement !== undefined && statement === seen.statement ? seen.looks + 1 : 0
    seen.statement = statement
    return seen.looks >= mostLooks
  }

  const look = () => {
    let ended = 0
    for (const [wire, seen] of connections)
      if (wire.deadWith !== undefined) {
        // A pool closes its connections politely: the socket stays until the other end closes it, too.
        if (seen.isGivenUp) wire.session.socket.destroy()
        connections.delete(wire)
      } else if (isSilent(wire, seen)) {
        ended++
        connections.delete(wire)
        wire.fatal(silent(limitMillis))
      }
    if (ended === 0) return
    // What made one connection silent usually did so to all: the next statements would find that out one by one.
    for (const [wire, seen] of connections) {
      if (seen.statement !== undefined) continue
      seen.isGivenUp = true
      Effect.runFork(seen.pool.invalidate(wire as unknown as PgConnection.PgConnection))
    }
  }

  yield* Effect.acquireRelease(
    Effect.sync(() => setInterval(look, interval).unref()),
    (timer) => Effect.sync(() => clearInterval(timer))
  )

  return (pool: PgPool.PgPool): PgPool.PgPool => {
    const watch = (session: PgConnection.PgConnection) => {
      const wire = wireOf(session)
      if (!connections.has(wire)) connections.set(wire, { pool, statement: undefined, looks: 0, isGivenUp: false })
      return session
    }
    const kept = (session: PgConnection.PgConnection) =>
      Effect.map(Unhurried, (isUnhurried) => {
        if (!isUnhurried) return watch(session)
        connections.delete(wireOf(session))
        return session
      })
    return {
      ...pool,
      get: Effect.flatMap(pool.get, kept),
      reserve: Effect.flatMap(pool.reserve, kept),
      use: (work) => pool.use((session) => work(watch(session)))
    }
  }
})
