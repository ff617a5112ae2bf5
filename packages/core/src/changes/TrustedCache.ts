/**
 * Values that were looked up before and have not changed since, so that a busy caller costs no query per request.
 *
 * They count while the instance knows what has changed (`Freshness`), and not for ever, so that the log need not be kept for ever. A
 * look-up that a change overtakes leaves nothing behind.
 */
import { Clock, Effect } from "effect"
import type { ChangeLog } from "./ChangeLog.ts"
import type { FreshnessState } from "./Freshness.ts"

const lifetimeMillis = 60_000

export interface TrustedCache<V> {
  /** The kept value, if it counts now without another look at the log. */
  readonly kept: (key: string, now: number) => V | undefined
  /** The kept value, else what the look-up finds, which is kept unless it fails. */
  readonly get: <E, R>(key: string, lookUp: Effect.Effect<V, E, R>) => Effect.Effect<V, E, R | ChangeLog>
  readonly forget: (key: string) => void
  readonly forgetWhere: (isChanged: (key: string, value: V) => boolean) => void
  readonly clear: () => void
}

export const makeTrustedCache = <V>(freshness: FreshnessState, capacity: number): TrustedCache<V> => {
  const entries = new Map<string, { readonly value: V; readonly until: number }>()
  let generation = 0

  const entryAt = (key: string, now: number) => {
    if (!freshness.isCurrent(now)) return undefined
    const entry = entries.get(key)
    if (entry === undefined || entry.until > now) return entry
    entries.delete(key)
    return undefined
  }
  const keep = (key: string, value: V, now: number): void => {
    if (entries.size >= capacity) entries.clear()
    entries.set(key, { value, until: now + lifetimeMillis })
  }

  return {
    kept: (key, now) => entryAt(key, now)?.value,
    get: (key, lookUp) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const entry = entryAt(key, now)
        if (entry !== undefined) return Effect.succeed(entry.value)
        return Effect.flatMap(freshness.renew, (isTrusted) => {
          if (!isTrusted) return lookUp
          const renewed = entryAt(key, now)
          if (renewed !== undefined) return Effect.succeed(renewed.value)
          const seen = generation
          return Effect.map(lookUp, (value) => {
            if (seen === generation) keep(key, value, now)
            return value
          })
        })
      }),
    forget: (key) => {
      generation++
      entries.delete(key)
    },
    forgetWhere: (isChanged) => {
      generation++
      for (const [key, { value }] of entries) if (isChanged(key, value)) entries.delete(key)
    },
    clear: () => {
      generation++
      // An empty map that is cleared allocates a new table, and every change clears all caches.
      if (entries.size > 0) entries.clear()
    }
  }
}
