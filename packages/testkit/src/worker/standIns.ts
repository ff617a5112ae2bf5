/** What the suite imports and a Worker cannot have: bundled in its place, and never called by the cases that run there. */
import { Effect } from "effect"

const notHere = Effect.die(new Error("a Worker has no sockets of its own"))

/** For `@gatewarden/node/effect`. */
export const startServer = (): Effect.Effect<never> => notHere
export const guardedFetch = (): typeof fetch => (input, init) => fetch(input, init)

/** For `file/fileProviders.ts`: a Worker speaks to those that listen outside. */
export const startFileProviders = notHere
