import type { Store } from "../ports/StoreHandle.ts"
import { makeStore } from "../ports/storeLayer.ts"
import { layerMemory } from "./memoryStore.ts"

/**
 * The in-memory store, for tests and trials. It forgets everything when the instance is closed.
 *
 * @returns a store for `createGatewarden`
 * @throws nothing
 * @example
 * const gatewarden = await createGatewarden({ store: memory() })
 */
export const memory = (): Store => makeStore("memory", layerMemory)
