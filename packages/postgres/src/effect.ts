/**
 * The Effect door: stores as layers, the SQL clients beneath them, and migrations. The types of a host's pool and the options that all
 * stores have are on `@gatewarden/postgres`.
 *
 * `layerPostgresStore` and `layerPgliteStore` fill every port of the core over a schema that is up to date.
 */
export { AnalyticsSql } from "./statements/AnalyticsSql.ts"
export { describeRefusal, describeSqlError } from "./connection/describeSqlError.ts"
export { layerPglite } from "./connection/layerPglite.ts"
export { layerPostgres, type PostgresOptions } from "./connection/layerPostgres.ts"
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
} from "./store/layerStore.ts"
export { DirectoryInUse, directoryHolder, lockDirectory, makePrivateDirectory } from "./connection/lockDirectory.ts"
export { type PersonColumns, personColumns } from "./statements/personColumns.ts"
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
  type Migration,
  MigrationBlocked,
  MigrationChanged,
  migrationChecksum,
  MigrationFailed,
  MigrationLockTimeout,
  MigrationPending,
  MigrationSkipped,
  type MigrationStatus,
  type Schema
} from "./migrations/Migration.ts"
export { SettingRefused, connectionsPerProcess } from "./connection/poolSettings.ts"
export {
  RowLevelSecurityMissing,
  rowLevelSecurityProblem,
  type RowLevelSecurityState,
  rowLevelSecurityState,
  tablesWithoutPolicy
} from "./store/rowLevelSecurity.ts"
export { migrations } from "./migrations/migrations.ts"
export { schema } from "./migrations/schema.ts"
export type { FunctionStatus } from "./functions/SqlFunction.ts"
export { layerPool, type PoolOptions } from "./connection/layerPool.ts"
export { committedFacts } from "./statements/committedFacts.ts"
export { sealedFieldsIn } from "./statements/sealedColumns.ts"
export { layerBackgroundJobs, layerDeliveryQueue, layerSealedSecrets } from "./store/sqlStore.ts"
export { readTables, type TransferTable } from "./transfer/readTables.ts"
export * from "./transfer/tableRows.ts"
export { inLoad, inSnapshot } from "./transfer/transferTransaction.ts"
export type { PgliteOptions } from "./connection/startPglite.ts"
