/**
 * A cache of keys by hash, so that a request of a busy caller needs no query.
 *
 * A change applies at once on the process that makes it (`notifyingPorts`), and within two seconds on others
 * (Rule: access#changes-take-effect). Only existing keys are cached, so a new key works immediately.
 */
import { Context } from "effect"
import type { Changes } from "../ports/changeLog.ts"
import type { AuthenticatedKey } from "../ports/keys.ts"
import { bytesHeld } from "../value/bytes.ts"
import type { FreshnessState } from "./Freshness.ts"
import { type KeptByKey, makeKeptByKey } from "./KeptByKey.ts"
import { type ValidatedCache, makeValidatedCache } from "./ValidatedCache.ts"

/** Entries by the hash of their key; `bySecret` finds them by the hash that a caller sent. */
export interface KeyCacheEntries extends ValidatedCache<AuthenticatedKey> {
  readonly bySecret: KeptByKey<AuthenticatedKey>
}

/** What an entry takes beside its value. */
const entryBytes = 512

/** `bytes`: of all entries together, by what their restrictions and names hold. */
export const makeKeyCache = (freshness: FreshnessState, bytes: number): KeyCacheEntries => {
  const cache = makeValidatedCache<AuthenticatedKey>(freshness, bytes, (key) => entryBytes + bytesHeld(key))
  freshness.onChange((changes: Changes) => {
    if (changes === "everything") return cache.clear()
    const changed = new Set<string>()
    for (const { noun, id } of changes) {
      if (noun === "key") cache.forget(id)
      // An entry holds the account's default workspace, and whether the account is suspended.
      if (noun === "workspace" || noun === "account") changed.add(id)
    }
    if (changed.size === 0) return
    cache.forgetWhere(
      (_, { account_id, workspace_id, default_workspace_id }) =>
        changed.has(account_id) || changed.has(workspace_id ?? "") || changed.has(default_workspace_id ?? "")
    )
  })
  return { ...cache, bySecret: makeKeptByKey(cache, (key) => key) }
}

/** One cache per instance of the product, never per process: two instances share nothing. */
export class KeyCache extends Context.Service<KeyCache, KeyCacheEntries>()("gatewarden/KeyCache") {}
