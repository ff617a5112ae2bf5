/** A store as the Promise door hands it around: opaque, made by `memory()` or by a store package. */
import type { Layer } from "effect"
import { layerMemory } from "./memory/memoryStore.ts"
import type { StorePorts } from "./ports.ts"

declare const storeBrand: unique symbol

/** Where everything is remembered. Nothing is opened until an instance is created with it. */
export interface Store {
  readonly name: string
  readonly [storeBrand]: true
}

interface LayeredStore extends Store {
  readonly layer: Layer.Layer<StorePorts, unknown>
}

/** For store packages: wraps a layer that fills every port. The layer fails when the store cannot start. */
export const makeStore = (name: string, layer: Layer.Layer<StorePorts, unknown>): Store =>
  ({ name, layer }) as LayeredStore

export const storeLayer = (store: Store): Layer.Layer<StorePorts, unknown> => (store as LayeredStore).layer

/** The in-memory store: for tests and trials. It forgets everything when the instance is closed. */
export const memory = (): Store => makeStore("memory", layerMemory)
