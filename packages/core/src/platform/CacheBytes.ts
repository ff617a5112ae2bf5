import { Context } from "effect"

/** Bytes that an instance's caches of what decisions stand on may take together. A platform that knows its memory gives a share of it. */
export const CacheBytes = Context.Reference<number>("gatewarden/CacheBytes", { defaultValue: () => 32 * 1_048_576 })
