/**
 * The Promise door: PostgreSQL as a store for `createGatewarden`. No Effect type is visible here.
 */
import { requireOptions } from "@gatewarden/contract/internal"
import type { Store } from "@gatewarden/core"
import { Redacted } from "effect"
import { layerPostgresStore } from "./store/layerStore.ts"
import { promiseStore } from "./store/promiseStore.ts"
import type { StoreOptions } from "./connection/StoreOptions.ts"

export { fromPool, type PoolStoreOptions } from "./store/fromPool.ts"
export type { HostClient, HostPool, HostQuery, HostResult } from "./connection/HostPool.ts"
export type { StoreOptions } from "./connection/StoreOptions.ts"

/** Where the database is, and how many connections it may be asked for: one process opens the sum of them, and one that listens. */
export interface PostgresStoreOptions extends StoreOptions {
  /** `postgres://…` or `postgresql://…`, with libpq's parameters; PostgreSQL 14 or newer. */
  readonly url: string | undefined
  /** Connections for short reads, each of which carries many at once. Default 4. */
  readonly maxConnections?: number
  /** Connections for writes and transactions, one at a time each. Default 24. */
  readonly writeConnections?: number
  /** Connections for analytics, one statement each at a time. Default 4. */
  readonly analyticsConnections?: number
  /** Named prepared statements. Switch them off behind a pooler that does not keep sessions. Default true. */
  readonly prepare?: boolean
  /**
   * Milliseconds after which the server gives up a short statement, and at most five seconds of them for its wait for a lock;
   * 0 leaves both to the server. Default 30,000.
   */
  readonly statementTimeoutMillis?: number
  /**
   * Tells other processes of changes with `NOTIFY` and keeps one more connection, for `LISTEN`. Without it changes of other processes
   * count within two seconds, with it usually at once. Default true.
   */
  readonly notifications?: boolean
  /**
   * Lets PostgreSQL itself hold statements of an account to its rows, under the role `gatewarden_tenant`. Opens up to 16 connections more.
   * Default false.
   */
  readonly rowLevelSecurity?: boolean
}

/**
 * The PostgreSQL store. Nothing is opened until an instance is created with it, which also migrates the database unless `migrate` says otherwise.
 *
 * @param options see [PostgresStoreOptions](#postgresstoreoptions)
 * @returns a store for `createGatewarden`
 * @throws TypeError where `url` is no `postgres://` URL, and for an option that does not exist
 * @example
 * const gatewarden = await createGatewarden({ store: postgres({ url: process.env["DATABASE_URL"] }), keyring })
 */
export const postgres = (options: PostgresStoreOptions): Store => {
  requireOptions<PostgresStoreOptions>("postgres", options, {
    url: true,
    maxConnections: true,
    writeConnections: true,
    analyticsConnections: true,
    prepare: true,
    statementTimeoutMillis: true,
    notifications: true,
    rowLevelSecurity: true,
    migrate: true
  })
  const { url } = options
  if (url === undefined || !/^postgres(?:ql)?:\/\//.test(url))
    throw new TypeError("postgres: url must be a postgres:// or postgresql:// connection string")
  return promiseStore("postgres", layerPostgresStore({ ...options, url: Redacted.make(url) }))
}
