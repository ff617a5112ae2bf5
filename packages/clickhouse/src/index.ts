/**
 * The Promise door: usage in ClickHouse, beside the store that has everything else. No Effect type is visible here.
 */
import { requireOptions } from "@gatewarden/contract/internal"
import type { Store } from "@gatewarden/core"
import { makeStore, storeLayer } from "@gatewarden/core/internal"
import { Redacted } from "effect"
import { layerClickhouse } from "./store/layerClickhouse.ts"

/** Where usage is read from, and the store that records it. */
export interface ClickhouseStoreOptions {
  /** The store of everything else, such as `postgres({ url })`. It records usage, and has the truth about money. */
  readonly store: Store
  /** `http://user:password@host:8123/database`, or `https`. */
  readonly url: string | undefined
  /** A cluster of the server: tables are replicated on its hosts, and rows sharded by account. Default: one server. */
  readonly cluster?: string
  /** `false`: the schema is there already. Default `true`: it is created and extended when an instance is made. */
  readonly migrate?: boolean
}

/**
 * A store that reads analytics from ClickHouse. What is recorded waits in the other store until ClickHouse has it; each query sends what
 * waits before it reads, and background work sends it every few seconds.
 *
 * @param options see [ClickhouseStoreOptions](#clickhousestoreoptions)
 * @returns a store for `createGatewarden`
 * @throws TypeError where `url` is no http or https URL, and for an option that does not exist
 * @example
 * const store = clickhouse({ store: postgres({ url: process.env["DATABASE_URL"] }), url: process.env["GATEWARDEN_CLICKHOUSE_URL"] })
 */
export const clickhouse = (options: ClickhouseStoreOptions): Store => {
  requireOptions<ClickhouseStoreOptions>("clickhouse", options, {
    store: true,
    url: true,
    cluster: true,
    migrate: true
  })
  const { store, url, ...others } = options
  if (url === undefined || !/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new TypeError("clickhouse: url must be an http:// or https:// URL")
  return makeStore(store.name, layerClickhouse(storeLayer(store), { ...others, url: Redacted.make(url) }))
}
