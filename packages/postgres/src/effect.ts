/**
 * The Effect door: stores as layers, the SQL clients beneath them, and migrations.
 *
 * `layerPostgresStore` and `layerPgliteStore` fill every port of the core over a schema that is up to date.
 */
export { AnalyticsSql } from "./AnalyticsSql.ts"
export { describeSqlError } from "./describeSqlError.ts"
export { layerPglite } from "./layerPglite.ts"
export { layerPostgres, type PostgresOptions } from "./layerPostgres.ts"
export {
  layerHostStore,
  layerPgliteClients,
  layerPgliteStore,
  layerPoolStore,
  layerPostgresStore,
  layerStore,
  layerStoreWith,
  type SqlClients,
  type StoreError
} from "./layerStore.ts"
export type { StoreOptions } from "./StoreOptions.ts"
export { DirectoryInUse, directoryHolder, lockDirectory } from "./lockDirectory.ts"
export { makePrivateDirectory } from "./makePrivateDirectory.ts"
export { migrate, type MigrateError, type MigrateOptions, migrationStatus, requireMigrated } from "./migrate.ts"
export * from "./Migration.ts"
export { connectionsPerProcess } from "./poolSizes.ts"
export { migrations } from "./migrations.ts"
export type { HostClient, HostPool, HostQuery, HostResult } from "./pool/HostPool.ts"
export { layerPool, type PoolOptions } from "./pool/layerPool.ts"
export { SettingRefused } from "./pool/requireSettings.ts"
export { layerSealedSecrets } from "./sqlStore.ts"
export { readTables, type TransferTable } from "./transfer/readTables.ts"
export * from "./transfer/tableRows.ts"
export { inLoad, inSnapshot } from "./transfer/transferTransaction.ts"
export { type Pglite, type PgliteOptions, startPglite } from "./startPglite.ts"
