/**
 * The Effect door: stores as layers, the SQL clients beneath them, and migrations.
 *
 * `layerPostgresStore` and `layerPgliteStore` fill every port of the core over a schema that is up to date.
 */
export { AnalyticsSql } from "./AnalyticsSql.ts"
export { layerPglite } from "./layerPglite.ts"
export { layerPostgres, type PostgresOptions } from "./layerPostgres.ts"
export { layerPgliteClients, layerPgliteStore, layerPostgresStore, layerStore, type SqlClients } from "./layerStore.ts"
export { DirectoryInUse, lockDirectory } from "./lockDirectory.ts"
export { migrate, type MigrateError, type MigrateOptions, migrationStatus } from "./migrate.ts"
export * from "./Migration.ts"
export { migrations } from "./migrations.ts"
export { type Pglite, type PgliteOptions, startPglite } from "./startPglite.ts"
