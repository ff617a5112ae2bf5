/**
 * Resolves an `Authorization` header to a caller.
 *
 * Rule: access#refused-keys, requests#bearer-credentials. Disabled, expired, deleted, of a deleted workspace: 401.
 */
import { Clock, Context, Effect } from "effect"
import type { ChangeLog } from "../ports/changes.ts"
import type { Unauthorized } from "../value/failure.ts"
import { Digest } from "../platform/Digest.ts"
import { ApiKeys, type AuthenticatedKey, checkKeyFormat, endOfSecret } from "../ports/keys.ts"
import { bearerToken } from "./bearerToken.ts"
import type { Caller } from "./Caller.ts"
import { KeyCache } from "../cache/KeyCache.ts"
import {
  deadKey,
  deletedKey,
  endedSecret,
  malformedAuthorization,
  malformedKey,
  unknownToken
} from "./refuseCredentials.ts"
import { reachesWorkspace } from "./restrictions.ts"

type Needed = ApiKeys | ChangeLog | KeyCache

/** Runs synchronously if nothing has to be awaited, because every request passes here. */
export const authenticate = (authorization: string): Effect.Effect<Caller, Unauthorized, Needed> =>
  Effect.contextWith((context: Context.Context<Needed>) => {
    const token = bearerToken(authorization)
    if (token === undefined) return Effect.fail(malformedAuthorization(authorization))
    // A wrong checksum needs no look-up.
    if (checkKeyFormat(token) === "bad_checksum") return Effect.fail(malformedKey)
    return Effect.flatMapEager(Context.get(context, Digest).sha256Hex(token), (hash) => {
      const now = Context.get(context, Clock.Clock).currentTimeMillisUnsafe()
      const cache = Context.get(context, KeyCache).bySecret
      const kept = cache.kept(hash, now)
      return kept === undefined
        ? Effect.matchEffect(cache.get(hash, lookUpKey), {
            onFailure: (absent) => Effect.fail(absent === "deleted" ? deletedKey : unknownToken(token)),
            onSuccess: (key) => judge(key, hash, now)
          })
        : judge(kept, hash, now)
    })
  })

const judge = (key: AuthenticatedKey, secret_hash: string, now: number): Effect.Effect<Caller, Unauthorized> => {
  if (key.is_suspended || key.disabled || (key.expires_at !== null && Date.parse(key.expires_at) <= now))
    return Effect.fail(deadKey(key))
  const ended = endOfSecret(key, secret_hash, now)
  return ended === undefined ? Effect.succeed(callerOf(key)) : Effect.fail(endedSecret(ended))
}

/** The key with this hash, or with a secret of this hash; fails with what is known of one that is not there. */
export const lookUpKey = Effect.fnUntraced(function* (hash: string) {
  const found = yield* (yield* ApiKeys).authenticate(hash)
  return typeof found === "string" ? yield* Effect.fail(found) : found
})

/** The caller that a key stands for. */
export const callerOf = (key: AuthenticatedKey): Caller => ({
  account_id: key.account_id,
  key_hash: key.hash,
  kind: key.kind,
  workspace_id: key.workspace_id,
  default_workspace_id: reachesWorkspace(key, key.default_workspace_id) ? key.default_workspace_id : null,
  user_id: key.user_id,
  is_operator: key.is_operator && key.kind !== "normal",
  restrictions: key.restrictions,
  ...(key.issued_by === null ? {} : { issued: true })
})
