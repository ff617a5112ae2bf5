/** A store in the process's own memory answers as long as the process runs. */
import { Effect } from "effect"
import { StoreHealth } from "../ports/StorePorts.ts"

export const storeHealth = StoreHealth.of({ ping: Effect.void })
