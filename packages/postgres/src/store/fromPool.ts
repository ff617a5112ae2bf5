import { requireOptions } from "@gatewarden/contract/internal"
import type { Store } from "@gatewarden/core"
import type { HostPool } from "../connection/HostPool.ts"
import type { StoreOptions } from "../connection/StoreOptions.ts"
import { layerPoolStore } from "./layerStore.ts"
import { promiseStore } from "./promiseStore.ts"

/** How much of the pool may be used. */
export interface PoolStoreOptions extends StoreOptions {
  /** How many clients of the pool analytics may hold at once, one statement each. Default 4. */
  readonly analyticsConnections?: number
}

/**
 * The PostgreSQL store over a pool of the host: `pg.Pool`, or anything of its shape.
 *
 * The pool stays the host's: its parsers and sessions are left as they are, and it is not closed. Its own tables are not
 * touched, since every name of ours starts with `gatewarden_`. Each request takes one client at a time; a statement that is
 * given up is cancelled through another.
 *
 * @param pool a pool of the host
 * @param options see [PoolStoreOptions](#poolstoreoptions)
 * @returns a store for `createGatewarden`
 * @throws TypeError for what is no pool, and for an option that does not exist
 * @example
 * const gatewarden = await createGatewarden({ store: fromPool(pool), keyring })
 */
export const fromPool = (pool: HostPool, options: PoolStoreOptions = {}): Store => {
  requirePool(pool)
  requireOptions<PoolStoreOptions>("fromPool", options, { analyticsConnections: true, migrate: true })
  return promiseStore("pool", layerPoolStore(pool, options))
}

/** A client of `pg` connects, too, but once and for itself: many requests would share its one transaction. */
const requirePool = (pool: unknown): void => {
  if (typeof pool === "string") throw new TypeError("fromPool: expected a pool, got text; use postgres({ url })")
  const isObject = typeof pool === "object" && pool !== null
  if (isObject && ("processID" in pool || ("release" in pool && typeof pool.release === "function")))
    throw new TypeError("fromPool: expected a pool, such as new Pool() of pg; this is a client of one")
  if (!isObject || !("connect" in pool) || typeof pool.connect !== "function")
    throw new TypeError("fromPool: expected a pool, such as new Pool() of pg")
}
