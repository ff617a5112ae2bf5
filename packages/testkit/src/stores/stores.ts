/** The kinds of store that everything is proved on. Each build of a layer is a fresh, empty store. */
import { layerMemory } from "@gatewarden/core/effect"
import type { StorePorts } from "@gatewarden/core/store"
import { layerPgliteStore, layerPoolStore, layerPostgresStore } from "@gatewarden/postgres/effect"
import { Effect, Layer, Redacted } from "effect"
import { inject } from "vitest"
import { hostPool } from "./hostPool.ts"
import { createMigratedDatabase, migratedSnapshot } from "./migratedDatabases.ts"

const layers = {
  memory: layerMemory,
  PostgreSQL: Layer.unwrap(
    Effect.map(
      Effect.promise(() => createMigratedDatabase(inject("postgres"))),
      (url) => layerPostgresStore({ url: Redacted.make(url) })
    )
  ),
  PGlite: Layer.unwrap(
    Effect.map(
      Effect.promise(() => migratedSnapshot(inject("pgliteSnapshot"))),
      (snapshot) => layerPgliteStore({ dataDir: undefined, snapshot })
    )
  ),
  "pg.Pool": Layer.unwrap(
    Effect.gen(function* () {
      const url = yield* Effect.promise(() => createMigratedDatabase(inject("postgres")))
      return layerPoolStore(yield* hostPool(url))
    })
  )
} as const satisfies Readonly<Record<string, Layer.Layer<StorePorts, unknown>>>

export type StoreKind = keyof typeof layers

export const stores: Readonly<Record<StoreKind, Layer.Layer<StorePorts, unknown>>> = layers

/** How many runs of a random test a store does beside the quickest: what takes longer is asked less. */
const shares: Readonly<Record<StoreKind, number>> = { memory: 1, PostgreSQL: 0.5, PGlite: 0.2, "pg.Pool": 0.125 }

/** Calls a suite for each kind of store. `runs`: of `most` for the quickest. */
export const forEachStore = (
  most: number,
  suite: (
    kind: StoreKind,
    makeStore: () => Layer.Layer<StorePorts, unknown>,
    options: { readonly runs: number }
  ) => void
): void => {
  for (const kind of Object.keys(layers) as StoreKind[])
    suite(kind, () => stores[kind], { runs: Math.ceil(most * shares[kind]) })
}
