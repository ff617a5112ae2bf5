/**
 * The Promise door: PGlite as a store for `createGatewarden`, for demonstrations and tests. No Effect type is visible here.
 */
import { requireOptions } from "@gatewarden/contract"
import type { Store } from "@gatewarden/core"
import { layerPgliteStore } from "./engine/layerStore.ts"
import { promiseStore } from "./promiseStore.ts"
import type { StoreOptions } from "./engine/StoreOptions.ts"

/** Where the embedded database lies. */
export interface PgliteStoreOptions extends StoreOptions {
  /** Directory of the database, made when missing and held by one process; without it the database is in memory. */
  readonly dataDir?: string | undefined
}

/** The embedded store. It needs the package `@electric-sql/pglite`, and runs in a worker thread. Throws a `TypeError` for an option that does not exist. */
export const pglite = (options: PgliteStoreOptions = {}): Store => {
  requireOptions<PgliteStoreOptions>("pglite", options, { dataDir: true, migrate: true })
  return promiseStore("pglite", layerPgliteStore({ dataDir: options.dataDir, migrate: options.migrate }))
}
