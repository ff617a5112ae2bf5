import { PgClient } from "@effect/sql-pg"
import { afterAll } from "@effect/vitest"
import { Effect, Layer, ManagedRuntime, Redacted, References } from "effect"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { migrate } from "../../postgres/src/migrations/migrate.ts"
import { schema } from "../../postgres/src/migrations/schema.ts"

/** Runs SQL on a database of its own that has the schema, until the tests of the file end. */
export const runOnSchema = () => {
  const runtime = ManagedRuntime.make(
    Layer.effectDiscard(migrate(schema)).pipe(
      Layer.provideMerge(
        Layer.unwrap(
          Effect.map(
            Effect.promise(() => createMigratedDatabase(inject("postgres"))),
            (url) => PgClient.layer({ url: Redacted.make(url), maxConnections: 12, multiplex: false })
          )
        )
      ),
      Layer.provideMerge(Layer.succeed(References.MinimumLogLevel, "None"))
    )
  )
  afterAll(() => runtime.dispose())
  return <A, E>(effect: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>) =>
    runtime.runPromise(Effect.flatMap(SqlClient.SqlClient, effect))
}
