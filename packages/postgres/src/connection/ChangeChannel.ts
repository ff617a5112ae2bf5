/**
 * How processes tell each other that the log of changes has something new: a hint, which may be lost. Silent by default, as a session
 * to listen on is not to be had of every client.
 */
import type { PgConnection } from "@effect/sql-pg"
import type { ChangeLog } from "@gatewarden/core/store"
import { Cause, Context, Effect, Exit, Latch, Queue, Random, Scope } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { sqlState } from "../statements/statements.ts"

export type Channel = Pick<typeof ChangeLog.Service, "announce" | "hear">

const silent: Channel = { announce: Effect.void, hear: () => Effect.void }

export const ChangeChannel = Context.Reference<Channel>("gatewarden/ChangeChannel", { defaultValue: () => silent })

/** Of the database: notifications do not leave it. By hand: `notify gatewarden_changes`. */
const channelName = "gatewarden_changes"

/** Between two of one process, whether it sends them or acts on them: what comes meanwhile waits, and counts as one. */
const spacing = "20 millis"
const patience = "1 second"

const firstPauseMillis = 100
const longestPauseMillis = 30_000
/** Of those that do not come: so often is waited as long as for one. */
const deafPatiences = 120

export interface ChangeChannelOptions {
  /** Sends, on any connection. */
  readonly sql: SqlClient.SqlClient
  /** Connects a session that stays the caller's until the scope closes. */
  readonly connect: Effect.Effect<PgConnection.PgConnection, SqlError, Scope.Scope>
  /** Tells this sender's notifications from those of others. */
  readonly id: string
  /** How long the server may take to bring back what a process has sent to itself. Default 5,000. */
  readonly echoMillis?: number
}

/** The server does not take a LISTEN, as a standby, or nothing comes of it. Other ends are those of a connection. */
const isDeaf = (ended: SqlError | Cause.TimeoutError): boolean =>
  ended._tag === "TimeoutError" || /^(?:0A|25|42)/.test(sqlState(ended))

/**
 * Announcements by `NOTIFY`, in a transaction of its own after that of the change: one that notifies waits with its commit for every
 * other one in the server that does. Nothing waits for them and nothing is lost with them, so they fail in silence.
 *
 * Whoever closes the scope has told of everything first, as a command does that ends.
 */
export const makeChangeChannel = Effect.fnUntraced(function* ({
  sql,
  connect,
  id,
  echoMillis = 5_000
}: ChangeChannelOptions) {
  const notify = (payload: string) =>
    Effect.withTracerEnabled(sql`select pg_notify(${channelName}::text, ${payload}::text)`, false)

  const wanted = Latch.makeUnsafe()
  const send = Effect.suspend(() => {
    wanted.closeUnsafe()
    return Effect.ignoreCause(Effect.onInterrupt(Effect.timeoutOption(notify(id), patience), () => wanted.open))
  })
  yield* Effect.addFinalizer(() => (wanted.isOpen() ? send : Effect.void))
  yield* wanted.await.pipe(
    Effect.andThen(send),
    Effect.andThen(Effect.sleep(spacing)),
    Effect.forever,
    Effect.forkScoped
  )

  /** Fails when the session ends, and when it does not hear. */
  const listen = Effect.fnUntraced(function* (onAnnounced: Effect.Effect<void>, onEcho: () => void) {
    // Closed after the session, of which it would otherwise ask another statement first.
    const listening = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
    const session = yield* connect
    const heard = yield* Scope.provide(session.listen(channelName), listening)
    // A pooler that keeps no sessions takes a LISTEN, too. What was sent on another connection does not come back then.
    const echo = `echo ${id}`
    yield* notify(echo)
    const echoed = Effect.repeat(Queue.take(heard), { until: ({ payload }) => payload === echo })
    yield* Effect.timeout(echoed, echoMillis)
    onEcho()
    yield* onAnnounced
    for (;;) {
      const payloads = Array.from(yield* Queue.takeAll(heard), ({ payload }) => payload)
      if (payloads.every((payload) => payload === id || payload.startsWith("echo "))) continue
      yield* onAnnounced
      yield* Effect.sleep(spacing)
    }
  }, Effect.scoped)

  const hear = Effect.fnUntraced(function* (onAnnounced: Effect.Effect<void>) {
    let failures = 0
    let isTold = false
    for (;;) {
      const ended = yield* Effect.flip(listen(onAnnounced, () => (failures = 0)))
      const isHopeless = isDeaf(ended)
      if (isHopeless && !isTold) {
        isTold = true
        yield* Effect.logInfo(
          "The database does not notify of changes, as behind a pooler that keeps no sessions: those of other processes count within two seconds all the same"
        )
      }
      const pause = isHopeless
        ? deafPatiences * echoMillis
        : Math.min(longestPauseMillis, firstPauseMillis * 2 ** failures++)
      yield* Effect.sleep(pause * (yield* Random.nextBetween(0.5, 1)))
    }
  }, Effect.withTracerEnabled(false))

  return { announce: Effect.sync(() => void wanted.openUnsafe()), hear } satisfies Channel
})
