/** The layer inside a store, which implements every port. In a file apart from `StoreHandle.ts`, whose declaration shows no Effect type. */
import type { Layer } from "effect"
import type { Store } from "./StoreHandle.ts"
import type { StorePorts } from "./StorePorts.ts"

/** Either the layer, or where to get it once it is needed: what a host only names costs nothing to import. */
export type LayeredStore = Store &
  (
    | { readonly layer: Layer.Layer<StorePorts, unknown> }
    | { readonly load: () => Promise<Layer.Layer<StorePorts, unknown>> }
  )

/**
 * For store packages: wraps a layer that fills every port, or a function that loads one when an instance is made. The layer fails when the
 * store cannot start.
 */
export const makeStore = (
  name: string,
  layer: Layer.Layer<StorePorts, unknown> | (() => Promise<Layer.Layer<StorePorts, unknown>>)
): Store => (typeof layer === "function" ? { name, load: layer } : { name, layer }) as LayeredStore
