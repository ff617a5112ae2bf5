/**
 * Keys that were looked up a moment ago, so that a busy caller costs no query per request.
 *
 * An entry lives a second: a change made on another process counts within two (decisions 2); one made on this process
 * clears the cache at once. Only found keys are kept, so a new key works immediately.
 */
import { Context } from "effect"
import type { AuthenticatedKey } from "./ApiKey.ts"

const lifetimeMillis = 1_000
const capacity = 50_000

export interface KeyCacheEntries {
  readonly get: (hash: string, now: number) => AuthenticatedKey | undefined
  /** Read before a look-up and handed to `set`, so that a look-up that a change overtook leaves nothing behind. */
  readonly generation: () => number
  readonly set: (hash: string, key: AuthenticatedKey, now: number, generation: number) => void
  readonly clear: () => void
}

export const makeKeyCache = (): KeyCacheEntries => {
  const entries = new Map<string, { readonly key: AuthenticatedKey; readonly until: number }>()
  let generation = 0
  return {
    generation: () => generation,
    get: (hash, now) => {
      const entry = entries.get(hash)
      if (entry === undefined) return undefined
      if (entry.until > now) return entry.key
      entries.delete(hash)
      return undefined
    },
    set: (hash, key, now, seen) => {
      if (seen !== generation) return
      if (entries.size >= capacity) entries.clear()
      entries.set(hash, { key, until: now + lifetimeMillis })
    },
    clear: () => {
      generation++
      entries.clear()
    }
  }
}

/** One cache per instance of the product, never per process: two instances share nothing. */
export class KeyCache extends Context.Service<KeyCache, KeyCacheEntries>()("gatewarden/KeyCache") {}
