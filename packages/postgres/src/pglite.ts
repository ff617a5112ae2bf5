/**
 * The Promise door: PGlite as a store for `createGatewarden`, for trials and small installations. No Effect type is visible here.
 */
import { requireOptions } from "@gatewarden/contract/internal"
import type { Store } from "@gatewarden/core"
import { layerPgliteStore } from "./store/layerStore.ts"
import { promiseStore } from "./store/promiseStore.ts"
import type { StoreOptions } from "./connection/StoreOptions.ts"

/** Where the embedded database lies. */
export interface PgliteStoreOptions extends StoreOptions {
  /** Directory of the database, made when missing and held by one process; without it the database is in memory. */
  readonly dataDir?: string | undefined
}

/**
 * The embedded store, for trials and small installations, up to about a million events: PostgreSQL in a worker thread of this process. It needs
 * the package `@electric-sql/pglite`.
 *
 * @param options see [PgliteStoreOptions](#pglitestoreoptions)
 * @returns a store for `createGatewarden`
 * @throws TypeError for an option that does not exist
 * @example
 * const gatewarden = await createGatewarden({ store: pglite({ dataDir: "./data" }), keyring })
 */
export const pglite = (options: PgliteStoreOptions = {}): Store => {
  requireOptions<PgliteStoreOptions>("pglite", options, { dataDir: true, migrate: true })
  return promiseStore("pglite", layerPgliteStore({ dataDir: options.dataDir, migrate: options.migrate }))
}
