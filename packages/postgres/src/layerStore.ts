/** The whole store over either engine: the schema is brought up to date before the first port is built. */
import type { StorePorts } from "@gatewarden/core/effect"
import { Layer } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { AnalyticsSql } from "./AnalyticsSql.ts"
import { layerPglite } from "./layerPglite.ts"
import { layerPostgres, type PostgresOptions } from "./layerPostgres.ts"
import { migrate, type MigrateError } from "./migrate.ts"
import { migrations } from "./migrations.ts"
import { layerPorts } from "./sqlStore.ts"
import type { PgliteOptions } from "./startPglite.ts"

/** The SQL clients that a store is made of. */
export type SqlClients = SqlClient.SqlClient | AnalyticsSql

/** Every port over given clients. Fails when their database cannot be migrated. */
export const layerStore: Layer.Layer<StorePorts, MigrateError, SqlClients> = layerPorts.pipe(
  Layer.provide(Layer.effectDiscard(migrate(migrations)))
)

/** The SQL clients over PGlite. */
export const layerPgliteClients = (options: PgliteOptions): Layer.Layer<SqlClients, SqlError.SqlError> =>
  AnalyticsSql.layerSame.pipe(Layer.provideMerge(layerPglite(options)))

/** Every port on PostgreSQL. Fails when the server does not answer or cannot be migrated. */
export const layerPostgresStore = (options: PostgresOptions): Layer.Layer<StorePorts, MigrateError> =>
  layerStore.pipe(Layer.provide(layerPostgres(options)))

/** Every port on PGlite, in a worker thread. Fails when the directory is in use, cannot be opened or cannot be migrated. */
export const layerPgliteStore = (options: PgliteOptions): Layer.Layer<StorePorts, MigrateError> =>
  layerStore.pipe(Layer.provide(layerPgliteClients(options)))
