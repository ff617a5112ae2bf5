/** The whole store over either engine: the schema is brought up to date before the first port is built. */
import type { StorePorts } from "@gatewarden/core/store"
import { Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { HostPool } from "../connection/HostPool.ts"
import type { SettingRefused } from "../connection/poolSettings.ts"
import type { StoreOptions } from "../connection/StoreOptions.ts"
import { RowLevelSecurity } from "../connection/tenantSessions.ts"
import { layerPglite } from "../connection/layerPglite.ts"
import { type PoolOptions, layerPool } from "../connection/layerPool.ts"
import { type PostgresOptions, layerPostgres } from "../connection/layerPostgres.ts"
import type { PgliteOptions } from "../connection/startPglite.ts"
import type { MigrationPending } from "../migrations/Migration.ts"
import { type MigrateError, migrate, requireMigrated } from "../migrations/migrate.ts"
import { schema } from "../migrations/schema.ts"
import { AnalyticsSql } from "../statements/AnalyticsSql.ts"
import { OneConnection } from "../statements/statements.ts"
import { preparedDatabase } from "./preparedDatabase.ts"
import { type RowLevelSecurityMissing, requireRowLevelSecurity } from "./rowLevelSecurity.ts"
import { scopePorts } from "./scopePorts.ts"
import { layerPorts } from "./sqlStore.ts"

/** The SQL clients that a store is made of. */
export type SqlClients = SqlClient.SqlClient | AnalyticsSql

export type StoreError = MigrateError | MigrationPending | RowLevelSecurityMissing

/** The ports, each call held to its account where the clients do that. `mayChange`: whoever starts may switch the policies on. */
const portsHeld = (
  mayChange: boolean
): Layer.Layer<StorePorts, RowLevelSecurityMissing | SqlError.SqlError, SqlClients> =>
  Layer.unwrap(
    Effect.gen(function* () {
      if (!(yield* RowLevelSecurity)) return layerPorts
      yield* requireRowLevelSecurity(mayChange)
      return Layer.effectContext(Effect.map(Layer.build(layerPorts), scopePorts))
    })
  )

/** Every port over given clients. Fails when their database cannot be migrated. */
export const layerStore: Layer.Layer<StorePorts, MigrateError | RowLevelSecurityMissing, SqlClients> = portsHeld(
  true
).pipe(Layer.provide(Layer.effectDiscard(migrate(schema))))

/** The same, with the option not to migrate: it then fails when the database is not up to date. */
export const layerStoreWith = ({
  migrate: mode = "auto"
}: StoreOptions): Layer.Layer<StorePorts, StoreError, SqlClients> => {
  if (mode === "auto") return layerStore
  return mode === "off"
    ? portsHeld(false)
    : portsHeld(false).pipe(Layer.provide(Layer.effectDiscard(requireMigrated(schema))))
}

/**
 * Every port over the `SqlClient` of an Effect host, which may transform names. Long reads share its connections, so a client
 * that multiplexes them is better given with a second one as `AnalyticsSql`, to `layerStore`.
 */
export const layerHostStore = (options: StoreOptions = {}): Layer.Layer<StorePorts, StoreError, SqlClient.SqlClient> =>
  layerStoreWith(options).pipe(
    Layer.provide(AnalyticsSql.layerSame),
    Layer.provide(
      Layer.effect(
        SqlClient.SqlClient,
        Effect.map(SqlClient.SqlClient, (sql) => sql.withoutTransforms())
      )
    )
  )

/** Every port over a host's `pg.Pool`. Fails too when its sessions write values in another style. */
export const layerPoolStore = (
  pool: HostPool,
  options: PoolOptions & StoreOptions = {}
): Layer.Layer<StorePorts, StoreError | SettingRefused> =>
  layerStoreWith(options).pipe(Layer.provide(layerPool(pool, options)))

/** The SQL clients over PGlite. */
export const layerPgliteClients = (options: PgliteOptions): Layer.Layer<SqlClients, SqlError.SqlError> =>
  AnalyticsSql.layerSame.pipe(Layer.provideMerge(layerPglite(options)), Layer.merge(Layer.succeed(OneConnection, true)))

/** The same, for a caller that migrates next. A new database is copied from the prepared one, if there is one, and has the schema already. */
export const layerPgliteClientsPrepared = (options: PgliteOptions): Layer.Layer<SqlClients, SqlError.SqlError> =>
  Layer.suspend(() => layerPgliteClients({ prepared: preparedDatabase(), ...options }))

/** Every port on PostgreSQL. Fails when the server does not answer or cannot be migrated. */
export const layerPostgresStore = (options: PostgresOptions & StoreOptions): Layer.Layer<StorePorts, StoreError> =>
  layerStoreWith(options).pipe(Layer.provide(layerPostgres(options)))

/** Every port on PGlite, in a worker thread. Fails when the directory is in use, cannot be opened or cannot be migrated. */
export const layerPgliteStore = (options: PgliteOptions & StoreOptions): Layer.Layer<StorePorts, StoreError> =>
  layerStoreWith(options).pipe(
    Layer.provide(
      (options.migrate ?? "auto") === "auto" ? layerPgliteClientsPrepared(options) : layerPgliteClients(options)
    )
  )
