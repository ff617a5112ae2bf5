/** What is inside a store: the layer that fills every port. Apart from `Store.ts`, whose declaration shows no Effect type. */
import type { Layer } from "effect"
import type { StorePorts } from "./ports.ts"
import type { Store } from "./StoreHandle.ts"

interface LayeredStore extends Store {
  readonly layer: Layer.Layer<StorePorts, unknown>
}

/** For store packages: wraps a layer that fills every port. The layer fails when the store cannot start. */
export const makeStore = (name: string, layer: Layer.Layer<StorePorts, unknown>): Store =>
  ({ name, layer }) as LayeredStore

export const storeLayer = (store: Store): Layer.Layer<StorePorts, unknown> => (store as LayeredStore).layer
