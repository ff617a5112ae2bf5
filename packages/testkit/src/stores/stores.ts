/** The kinds of store that everything is proved on. Each build of a layer is a fresh, empty store. */
import { layerMemory } from "@gatewarden/core/effect"
import type { StorePorts } from "@gatewarden/core/store"
import { layerPgliteClients, layerPoolStore, layerPostgres } from "@gatewarden/postgres/internal"
import { Effect, Layer, Redacted } from "effect"
import { inject } from "vitest"
import { hostPool } from "./hostPool.ts"
import { createMigratedDatabase, migratedSnapshot } from "./migratedDatabases.ts"
import { layerReused } from "./reusedDatabases.ts"

const layers = {
  memory: layerMemory,
  PostgreSQL: layerReused(
    "PostgreSQL",
    Layer.unwrap(
      Effect.map(
        Effect.promise(() => createMigratedDatabase(inject("postgres"))),
        (url) => layerPostgres({ url: Redacted.make(url) })
      )
    )
  ),
  PGlite: layerReused(
    "PGlite",
    Layer.unwrap(
      Effect.map(
        Effect.promise(() => migratedSnapshot(inject("pgliteSnapshot"))),
        (snapshot) => layerPgliteClients({ dataDir: undefined, snapshot })
      )
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

/**
 * The stores that a run proves everything on. A host's `pg.Pool` is the SQL of PostgreSQL over another driver: the deep run asks it alone
 * what `npm run test:all` asks of the others. `npm test` leaves PGlite out, which takes longest.
 */
export const everyStore: readonly (readonly [StoreKind, Layer.Layer<StorePorts, unknown>])[] = (
  Object.keys(layers) as StoreKind[]
)
  .filter((kind) => (kind === "pg.Pool") === (process.env["GATEWARDEN_TEST_POOL"] === "1"))
  .filter((kind) => kind !== "PGlite" || process.env["GATEWARDEN_TEST_QUICK"] !== "1")
  .filter((kind) => kind === "memory" || process.env["GATEWARDEN_TEST_MEMORY"] !== "1")
  .map((kind) => [kind, stores[kind]])

/** Calls a suite for each kind of store. `runs`: of `most` for the quickest. */
export const forEachStore = (
  most: number,
  suite: (
    kind: StoreKind,
    makeStore: () => Layer.Layer<StorePorts, unknown>,
    options: { readonly runs: number }
  ) => void
): void => {
  for (const [kind, store] of everyStore) suite(kind, () => store, { runs: Math.ceil(most * shares[kind]) })
}
