/** The kinds of store that everything is proved on. Each build of a layer is a fresh, empty store. */
import { layerMemory } from "@gatewarden/core/effect"
import type { StorePorts } from "@gatewarden/core/store"
import { layerPgliteStore, layerPoolStore, layerPostgresStore } from "@gatewarden/postgres/effect"
import { Effect, Layer, Redacted } from "effect"
import { inject } from "vitest"
import { hostPool } from "./hostPool.ts"
import { createDatabase } from "./postgresServer.ts"

export type StoreKind = "memory" | "PostgreSQL" | "PGlite" | "pg.Pool"

export const stores: Readonly<Record<StoreKind, Layer.Layer<StorePorts, unknown>>> = {
  memory: layerMemory,
  PostgreSQL: Layer.unwrap(
    Effect.map(
      Effect.promise(() => createDatabase(inject("postgres"))),
      (url) => layerPostgresStore({ url: Redacted.make(url) })
    )
  ),
  PGlite: Layer.suspend(() => layerPgliteStore({ dataDir: undefined, snapshot: inject("pgliteSnapshot") })),
  "pg.Pool": Layer.unwrap(
    Effect.gen(function* () {
      const url = yield* Effect.promise(() => createDatabase(inject("postgres")))
      return layerPoolStore(yield* hostPool(url))
    })
  )
}
