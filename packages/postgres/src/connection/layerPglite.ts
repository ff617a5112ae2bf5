import { PgClient } from "@effect/sql-pg"
import { Effect, type Layer, Redacted } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import { type PgliteOptions, startPglite } from "./startPglite.ts"

/** A new connection waits behind the statement that an interrupted one left running, which PGlite cannot stop. */
const connectTimeout = "60 seconds"

const failure = (cause: unknown): SqlError =>
  new SqlError({
    reason: new ConnectionError({
      cause,
      message: cause instanceof Error ? cause.message : String(cause),
      operation: "connect"
    })
  })

/**
 * The SQL client over PGlite: PostgreSQL for trials and small installations, with nothing to install or run.
 *
 * One connection, so statements and transactions queue. `statement_timeout` and cancellation do not stop a running
 * statement, and session defaults of a startup packet are not applied. Fails with a `ConnectionError` when the
 * directory is in use or cannot be opened. Closing the layer leaves the directory clean.
 */
export const layerPglite = (options: PgliteOptions): Layer.Layer<PgClient.PgClient | SqlClient, SqlError> =>
  PgClient.layerFrom(
    Effect.acquireRelease(Effect.tryPromise({ try: () => startPglite(options), catch: failure }), (pglite) =>
      Effect.promise(pglite.close)
    ).pipe(
      Effect.flatMap((pglite) =>
        PgClient.make({
          stream: pglite.connect,
          username: "postgres",
          database: "postgres",
          password: Redacted.make(""),
          maxConnections: 1,
          multiplex: false,
          connectTimeout
        })
      )
    )
  )
