/** Engines for tests of migrations: each with an empty database, which no migration has touched. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, ManagedRuntime, Redacted, References } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { afterAll, inject } from "vitest"
import { createDatabase } from "@gatewarden/testkit/stores/postgresServer"
import { layerPglite } from "../../postgres/src/connection/layerPglite.ts"

type Engine = Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, SqlError>

const quiet = Layer.succeed(References.MinimumLogLevel, "None")

/** `migrate` names the connection that it waits for by its application. */
export const postgresEngine = (url: string): Engine =>
  Layer.merge(PgClient.layer({ url: Redacted.make(url), applicationName: "migrate.test", maxConnections: 2 }), quiet)

/**
 * Each makes an empty database. To be called once in a test file: PGlite is one for the file, and is closed after it.
 */
export const emptyEngines = (): Record<string, Effect.Effect<Engine, unknown>> => {
  const pglite = ManagedRuntime.make(
    Layer.merge(layerPglite({ dataDir: undefined, snapshot: inject("pgliteSnapshot") }), quiet)
  )
  afterAll(() => pglite.dispose())
  return {
    PGlite: Effect.gen(function* () {
      const context = yield* pglite.contextEffect
      yield* Effect.provide(
        Effect.flatMap(SqlClient.SqlClient, (sql) =>
          Effect.andThen(sql`drop schema public cascade`, sql`create schema public`)
        ),
        context
      )
      return Layer.succeedContext(context)
    }),
    PostgreSQL: Effect.map(
      Effect.promise(() => createDatabase(inject("postgres"))),
      postgresEngine
    )
  }
}
