/** What the packages of this repository need beyond the doors. Nothing here is promised. */
export * from "./effect.ts"
export { AnalyticsSql } from "./statements/AnalyticsSql.ts"
export { describeRefusal, describeSqlError } from "./connection/describeSqlError.ts"
export {
  layerPgliteClients,
  layerPgliteClientsPrepared,
  layerStore,
  layerStoreWith,
  type SqlClients
} from "./store/layerStore.ts"
export { DirectoryInUse, directoryHolder, lockDirectory, makePrivateDirectory } from "./connection/lockDirectory.ts"
export { type PersonColumns, personColumns } from "./statements/personColumns.ts"
export { functionStatus } from "./migrations/migrate.ts"
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
export { committedFacts } from "./statements/committedFacts.ts"
export { sealedFieldsIn } from "./statements/sealedColumns.ts"
export { layerBackgroundJobs, layerDeliveryQueue, layerSealedSecrets } from "./store/sqlStore.ts"
export { readTables, type TransferTable } from "./transfer/readTables.ts"
export { readLines, loadLines, prepareLoad, finishLoad, occupiedTables, countRows } from "./transfer/tableRows.ts"
export { inLoad, inSnapshot } from "./transfer/transferTransaction.ts"
