/**
 * The Effect door: stores as layers, the SQL clients beneath them, and migrations. The types of a host's pool and the options that all
 * stores have are on `@gatewarden/postgres`.
 *
 * `layerPostgresStore` and `layerPgliteStore` fill every port of the core over a schema that is up to date.
 */
export { AnalyticsSql } from "./ports/sql/AnalyticsSql.ts"
export { describeRefusal, describeSqlError } from "./engine/describeSqlError.ts"
export { layerPglite } from "./engine/layerPglite.ts"
export { layerPostgres, type PostgresOptions } from "./engine/layerPostgres.ts"
export {
  layerHostStore,
  layerPgliteClients,
  layerPgliteClientsPrepared,
  layerPgliteStore,
  layerPoolStore,
  layerPostgresStore,
  layerStore,
  layerStoreWith,
  type SqlClients,
  type StoreError
} from "./engine/layerStore.ts"
export { DirectoryInUse, directoryHolder, lockDirectory } from "./engine/lockDirectory.ts"
export { makePrivateDirectory } from "./engine/makePrivateDirectory.ts"
export { type PersonColumns, personColumns } from "./ports/sql/personColumns.ts"
export {
  functionStatus,
  migrate,
  type MigrateError,
  type MigrateOptions,
  type MigrateResult,
  migrationStatus
} from "./migrations/migrate.ts"
export {
  DatabaseAhead,
  FormerDatabase,
  FunctionFailed,
  isFormer,
  type Migration,
  MigrationChanged,
  migrationChecksum,
  MigrationFailed,
  MigrationLockTimeout,
  MigrationPending,
  MigrationSkipped,
  type MigrationStatus,
  type Schema
} from "./migrations/Migration.ts"
export { connectionsPerProcess } from "./engine/poolSizes.ts"
export {
  RowLevelSecurityMissing,
  rowLevelSecurityProblem,
  type RowLevelSecurityState,
  rowLevelSecurityState,
  tablesWithoutPolicy
} from "./engine/rowLevelSecurity.ts"
export { migrations } from "./migrations/migrations.ts"
export { schema } from "./migrations/schema.ts"
export type { FunctionStatus } from "./migrations/SqlFunction.ts"
export { layerPool, type PoolOptions } from "./engine/pool/layerPool.ts"
export { SettingRefused } from "./engine/pool/requireSettings.ts"
export { committedFacts } from "./stream/committedFacts.ts"
export { sealedFieldsIn } from "./ports/sql/sealedColumns.ts"
export { layerBackgroundJobs, layerDeliveryQueue, layerSealedSecrets } from "./sqlStore.ts"
export { readTables, type TransferTable } from "./transfer/readTables.ts"
export * from "./transfer/tableRows.ts"
export { inLoad, inSnapshot } from "./transfer/transferTransaction.ts"
export type { PgliteOptions } from "./engine/startPglite.ts"
