/** A client of a host's pool as a connection of `effect/sql`, for as long as it is lent. */
import { Deferred, Effect, Exit, type Scope, Stream } from "effect"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import type { HostClient, HostPool, HostQuery, HostResult } from "./HostPool.ts"
import { columnTypes } from "./columns.ts"
import { bound } from "./parameters.ts"
import { ParametersRefused, endsConnection, sqlFailure } from "./sqlFailure.ts"

type Transform = Parameters<Connection["execute"]>[2]

/** Nothing but the statement that we ask to end is ended, whoever's process the number may be by now. */
const cancelText = `select pg_cancel_backend(pid) from pg_stat_activity
  where pid = $1::int4 and usename = current_user and state = 'active' and left(query, 64) = left($2::text, 64)`

const mostParameters = 32_767

/** How often, and how long, a statement is asked to end before its connection is dropped. */
const cancelInterval = "50 millis"
const cancelPatience = "2 seconds"

export class PoolConnection implements Connection {
  readonly #pool: HostPool
  readonly #client: HostClient
  readonly #fail = () => void (this.broken = true)
  /** Nothing can be asked any more, and the pool shall drop the connection. */
  broken = false

  constructor(pool: HostPool, client: HostClient) {
    this.#pool = pool
    this.#client = client
    // A lent client that loses its connection would otherwise end the host's process.
    client.on("error", this.#fail)
  }

  giveBack(): void {
    this.#client.removeListener("error", this.#fail)
    this.#client.release(this.broken)
  }

  #run(text: string, parameters: readonly unknown[], rowMode?: "array"): Effect.Effect<HostResult, SqlError> {
    // The protocol counts them in 16 bits, and the driver does not mind.
    if (parameters.length > mostParameters)
      return Effect.fail(sqlFailure(new ParametersRefused(`More than ${mostParameters} parameters`), "query"))
    return Effect.callback<HostResult, SqlError>((resume) => {
      const settled = Deferred.makeUnsafe<void>()
      const settle = (answer: Effect.Effect<HostResult, SqlError>) => {
        Deferred.doneUnsafe(settled, Effect.void)
        resume(answer)
      }
      this.#ask({ text, values: parameters.map(bound), types: columnTypes, ...(rowMode && { rowMode }) }).then(
        (result) => settle(Effect.succeed(result)),
        (cause: unknown) => {
          if (endsConnection(cause)) this.broken = true
          settle(Effect.fail(sqlFailure(cause, "query")))
        }
      )
      return this.#cancel(text, settled)
    })
  }

  async #ask(query: HostQuery): Promise<HostResult> {
    return this.#client.query(query)
  }

  /**
   * Ends a statement in the database, through another client of the pool. Where that comes to nothing in time, the
   * connection goes with its statement. Until then this client is not given back, so that what is ended is its own.
   */
  #cancel(text: string, settled: Deferred.Deferred<void>): Effect.Effect<void> {
    const pool = this.#pool
    const parameters = [String(this.#client.processID), text]
    const ended = Deferred.await(settled)
    const askToEnd = Effect.scoped(
      Effect.gen(function* () {
        const helper = yield* Effect.raceFirst(ended, lend(pool))
        if (helper === undefined || Deferred.isDoneUnsafe(settled)) return
        helper.broken = true
        yield* Effect.promise(() => helper.#ask({ text: cancelText, values: parameters, types: columnTypes }))
        helper.broken = false
      })
    ).pipe(Effect.ignoreCause, Effect.andThen(Effect.raceFirst(ended, Effect.sleep(cancelInterval))))
    const asking = Effect.whileLoop({
      while: () => !Deferred.isDoneUnsafe(settled),
      body: () => askToEnd,
      step: () => {}
    })
    return (this.#client.processID == null ? ended : asking).pipe(
      Effect.interruptible,
      Effect.timeoutOption(cancelPatience),
      Effect.map((done) => {
        if (done._tag === "None") this.broken = true
      })
    )
  }

  execute(text: string, parameters: readonly unknown[], transform: Transform) {
    return Effect.map(this.#run(text, parameters), ({ rows }) => (transform ? transform(rows as object[]) : rows))
  }
  executeUnprepared(text: string, parameters: readonly unknown[], transform: Transform) {
    return this.execute(text, parameters, transform)
  }
  executeRaw(text: string, parameters: readonly unknown[]) {
    return this.#run(text, parameters)
  }
  executeValues(text: string, parameters: readonly unknown[]) {
    return Effect.map(this.#run(text, parameters, "array"), ({ rows }) => rows as readonly (readonly unknown[])[])
  }
  executeValuesUnprepared(text: string, parameters: readonly unknown[]) {
    return this.executeValues(text, parameters)
  }
  /** All rows at once: the driver has no cursors of its own. */
  executeStream(text: string, parameters: readonly unknown[], transform: Transform) {
    return Stream.fromIterableEffect(this.execute(text, parameters, transform))
  }
}

/** A client of the pool until the scope closes. Whoever stops waiting for one takes none. */
export const lend = (pool: HostPool): Effect.Effect<PoolConnection, SqlError, Scope.Scope> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      let made: PoolConnection | undefined
      let isWanted = true
      const connecting = Effect.callback<PoolConnection, SqlError>((resume) => {
        connect(pool).then(
          (client) => {
            made = new PoolConnection(pool, client)
            if (isWanted) resume(Effect.succeed(made))
            else made.giveBack()
          },
          (cause: unknown) => resume(Effect.fail(sqlFailure(cause, "connect")))
        )
      })
      const lent = yield* Effect.onExit(restore(connecting), (exit) =>
        Effect.sync(() => {
          isWanted = Exit.isSuccess(exit)
          if (!isWanted) made?.giveBack()
        })
      )
      yield* Effect.addFinalizer(() => Effect.sync(() => lent.giveBack()))
      return lent
    })
  )

/** Whatever the pool throws at once is a rejection too. */
const connect = async (pool: HostPool): Promise<HostClient> => pool.connect()
