/**
 * A cache of what belongs to keys. It is asked with the hash of any secret of a key, and keeps the value once, under the hash of the key
 * itself, so that a change of the key removes it.
 *
 * Rule: access#rotating-keys. Which key a secret opens does not change while the key exists, so the process remembers it. Whether the secret
 * opens it now is in the value, with the instant of its end, and so is exact on every process.
 */
import { Clock, Effect } from "effect"
import type { ChangeLog } from "../ports/changeLog.ts"
import type { KeySecret } from "../ports/keys.ts"
import { evictOldest } from "../value/remembered.ts"
import type { ValidatedCache } from "./ValidatedCache.ts"

export interface KeptByKey<V> {
  /** The kept value, if it counts now without another look at the log. */
  readonly kept: (secret_hash: string, now: number, owner?: string) => V | undefined
  /** The kept value, else what the look-up of a hash finds, which is kept unless it fails. Callers that ask at once share one look-up. */
  readonly get: <E, R>(
    secret_hash: string,
    lookUp: (hash: string) => Effect.Effect<V, E, R>,
    owner?: string
  ) => Effect.Effect<V, E, R | ChangeLog>
}

/** A value that was found under the hash of a secret, and belongs under that of its key. */
class BelongsToKey<V> {
  readonly value: V
  readonly key_hash: string
  constructor(value: V, key_hash: string) {
    this.value = value
    this.key_hash = key_hash
  }
}

/** Rotated secrets whose keys a process remembers. */
const mostSecrets = 50_000

/** `keyOf`: the key that a value belongs to; undefined if there is none. */
export const makeKeptByKey = <V>(
  cache: ValidatedCache<V>,
  keyOf: (value: V) => { readonly hash: string; readonly secrets: readonly KeySecret[] } | undefined
): KeptByKey<V> => {
  /** By the hash of the secret. */
  const keys = new Map<string, string>()
  const remember = (secret_hash: string, key_hash: string): void => {
    evictOldest(keys, mostSecrets)
    keys.set(secret_hash, key_hash)
  }
  /** Whether the value was read after the secret was made. */
  const lists = (value: V, secret_hash: string): boolean => {
    const key = keyOf(value)
    return key !== undefined && (key.hash === secret_hash || key.secrets.some(({ hash }) => hash === secret_hash))
  }

  const getBySecret = <E, R>(
    secret_hash: string,
    lookUp: (hash: string) => Effect.Effect<V, E, R>,
    owner: string | undefined
  ): Effect.Effect<V, E, R | ChangeLog> => {
    const own = Effect.flatMap(lookUp(secret_hash), (value) => {
      const key = keyOf(value)
      return key === undefined || key.hash === secret_hash
        ? Effect.succeed(value)
        : Effect.fail(new BelongsToKey(value, key.hash))
    })
    return Effect.catch(cache.share(secret_hash, own, owner), (failure) => {
      if (!(failure instanceof BelongsToKey)) return Effect.fail(failure as E)
      const { value, key_hash } = failure as BelongsToKey<V>
      if (!lists(value, secret_hash)) return Effect.succeed(value)
      remember(secret_hash, key_hash)
      return Effect.map(Clock.currentTimeMillis, (now) => {
        // The kept value is from before the rotation that this process was not told of yet.
        const kept = cache.kept(key_hash, now, owner)
        if (kept !== undefined && !lists(kept, secret_hash)) cache.forget(key_hash, owner)
        return value
      })
    })
  }

  const getByKey = <E, R>(
    secret_hash: string,
    lookUp: (hash: string) => Effect.Effect<V, E, R>,
    owner: string | undefined
  ): Effect.Effect<V, E, R | ChangeLog> => {
    const key_hash = keys.get(secret_hash)
    if (key_hash === undefined) return getBySecret(secret_hash, lookUp, owner)
    const anew = Effect.suspend(() => {
      keys.delete(secret_hash)
      return getBySecret(secret_hash, lookUp, owner)
    })
    return Effect.matchEffect(cache.share(key_hash, lookUp(key_hash), owner), {
      onFailure: () => anew,
      onSuccess: (value) => (lists(value, secret_hash) ? Effect.succeed(value) : anew)
    })
  }

  const kept: KeptByKey<V>["kept"] = (secret_hash, now, owner) => {
    const key_hash = keys.get(secret_hash)
    if (key_hash === undefined) return cache.kept(secret_hash, now, owner)
    const value = cache.kept(key_hash, now, owner)
    return value !== undefined && lists(value, secret_hash) ? value : undefined
  }

  return {
    kept,
    get: (secret_hash, lookUp, owner) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const value = kept(secret_hash, now, owner)
        return value === undefined ? getByKey(secret_hash, lookUp, owner) : Effect.succeed(value)
      })
  }
}
