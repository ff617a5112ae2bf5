/**
 * The Promise door as Node loads it: the names of `index.ts`, and what an instance is made of once one is made. Who imports the door to make
 * an instance later, or never, does not wait for them.
 *
 * Source: docs/decisions/0006-starting.md. Bundlers for other runtimes take `index.ts`, of which they can leave out what is not used.
 */
import type * as door from "./index.ts"
import { makeStore } from "./ports/storeLayer.ts"

export { GatewardenRefusal } from "./hosting/GatewardenRefusal.ts"
export { mergePreset } from "./preset/mergePreset.ts"
export { toNextHandlers } from "./instance/toNextHandlers.ts"

export const createGatewarden: typeof door.createGatewarden = async (options) =>
  (await import("./instance/createGatewarden.ts")).createGatewarden(options)

export const memory: typeof door.memory = () =>
  makeStore("memory", async () => (await import("./memory/memoryStore.ts")).layerMemory)
