import { type LayerOptions, layerClickhouse, openClickhouse } from "@gatewarden/clickhouse/internal"
import type { StorePorts } from "@gatewarden/core/store"
import { Effect, Layer, Redacted, type Scope } from "effect"
import { randomBytes } from "node:crypto"
import { startClickhouse } from "./startChdb.ts"

/** An empty database on a server of ClickHouse, for as long as the scope lives. Answers its URL. */
export const clickhouseDatabase: Effect.Effect<string, never, Scope.Scope> = Effect.gen(function* () {
  const server = yield* startClickhouse
  const { run } = yield* openClickhouse({ url: Redacted.make(server) })
  const name = `gatewarden_test_${randomBytes(4).toString("hex")}`
  yield* Effect.acquireRelease(run(`CREATE DATABASE ${name}`), () => run(`DROP DATABASE ${name}`))
  const database = new URL(server)
  database.pathname = `/${name}`
  return database.href
})

/** A store that reads usage from a fresh database of ClickHouse. */
export const layerTestClickhouse = (
  store: Layer.Layer<StorePorts, unknown>,
  options: Omit<LayerOptions, "url"> = {}
): Layer.Layer<StorePorts, unknown> =>
  Layer.unwrap(Effect.map(clickhouseDatabase, (url) => layerClickhouse(store, { ...options, url: Redacted.make(url) })))
