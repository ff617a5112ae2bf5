/**
 * Values that were looked up a moment ago, so that a busy caller costs no query per request.
 *
 * What is found may be up to a lifetime old; `clear` forgets everything at once. A look-up that a change overtakes leaves nothing
 * behind. Never per process: two instances share nothing.
 */
import { Clock, Effect } from "effect"

export interface ShortLivedCache<K, V> {
  /** The kept value, else what the look-up finds. */
  readonly get: <E, R>(key: K, lookUp: Effect.Effect<V, E, R>) => Effect.Effect<V, E, R>
  readonly clear: () => void
}

export const makeShortLivedCache = <K, V>(options: {
  readonly lifetimeMillis: number
  readonly capacity: number
}): ShortLivedCache<K, V> => {
  const entries = new Map<K, { readonly value: V; readonly until: number }>()
  let generation = 0
  return {
    get: Effect.fnUntraced(function* (key, lookUp) {
      const now = yield* Clock.currentTimeMillis
      const entry = entries.get(key)
      if (entry !== undefined && entry.until > now) return entry.value
      const seen = generation
      const value = yield* lookUp
      if (seen === generation) {
        if (entries.size >= options.capacity) entries.clear()
        entries.set(key, { value, until: now + options.lifetimeMillis })
      }
      return value
    }),
    clear: () => {
      generation++
      entries.clear()
    }
  }
}
