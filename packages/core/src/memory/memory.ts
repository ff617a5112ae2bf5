import type { Store } from "../StoreHandle.ts"
import { makeStore } from "../storeLayer.ts"
import { layerMemory } from "./memoryStore.ts"

/** The in-memory store: for tests and trials. It forgets everything when the instance is closed. */
export const memory = (): Store => makeStore("memory", layerMemory)
