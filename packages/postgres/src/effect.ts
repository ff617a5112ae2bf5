/**
 * The Effect door: stores as layers, the SQL clients beneath them, and migrations. The types of a host's pool and the options that all
 * stores have are on `@gatewarden/postgres`.
 *
 * `layerPostgresStore` and `layerPgliteStore` fill every port of the core over a schema that is up to date.
 */
export { layerPglite } from "./connection/layerPglite.ts"
export { layerPostgres, type PostgresOptions } from "./connection/layerPostgres.ts"
export {
  layerHostStore,
  layerPgliteStore,
  layerPoolStore,
  layerPostgresStore,
  type StoreError
} from "./store/layerStore.ts"
export {
  migrate,
  type MigrateError,
  type MigrateOptions,
  type MigrateResult,
  migrationStatus
} from "./migrations/migrate.ts"
export { type MigrationStatus } from "./migrations/Migration.ts"
export { layerPool, type PoolOptions } from "./connection/layerPool.ts"
export type { PgliteOptions } from "./connection/startPglite.ts"
