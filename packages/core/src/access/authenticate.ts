/**
 * From an `Authorization` header to a caller.
 *
 * Source: specification, Authentication; decisions 2 and 4. Disabled, expired, deleted, of a deleted workspace: 401.
 */
import { Clock, Context, Effect, Option } from "effect"
import type { ChangeLog } from "../changes/ChangeLog.ts"
import { Unauthorized } from "../failure.ts"
import { Digest } from "../platform/Digest.ts"
import type { AuthenticatedKey } from "./ApiKey.ts"
import { ApiKeys } from "./ApiKeys.ts"
import { bearerToken } from "./bearerToken.ts"
import type { Caller } from "./Caller.ts"
import { KeyCache } from "./KeyCache.ts"
import { checkKeyFormat } from "./KeyFormat.ts"

const invalidKey = new Unauthorized({ reason: "invalid_api_key" })

type Needed = ApiKeys | ChangeLog | KeyCache

/** In steps that run at once where nothing has to be waited for, because every request comes through here. */
export const authenticate = (authorization: string | undefined): Effect.Effect<Caller, Unauthorized, Needed> =>
  Effect.contextWith((context: Context.Context<Needed>) => {
    const token = bearerToken(authorization)
    if (token === undefined) return Effect.fail(new Unauthorized({ reason: "missing_authentication" }))
    // A wrong checksum costs nobody a look-up.
    if (checkKeyFormat(token) === "bad_checksum") return Effect.fail(invalidKey)
    return Effect.flatMapEager(Context.get(context, Digest).sha256Hex(token), (hash) => {
      const now = Context.get(context, Clock.Clock).currentTimeMillisUnsafe()
      const cache = Context.get(context, KeyCache)
      const kept = cache.kept(hash, now)
      return kept === undefined
        ? Effect.flatMap(cache.get(hash, lookUpKey(hash)), (key) => judge(key, now))
        : judge(kept, now)
    })
  })

const judge = (key: AuthenticatedKey, now: number): Effect.Effect<Caller, Unauthorized> =>
  key.disabled || (key.expires_at !== null && Date.parse(key.expires_at) <= now)
    ? Effect.fail(invalidKey)
    : Effect.succeed(callerOf(key))

/** The key with this hash. */
export const lookUpKey = Effect.fnUntraced(function* (hash: string) {
  const found = yield* (yield* ApiKeys).authenticate(hash)
  return Option.isSome(found) ? found.value : yield* invalidKey
})

/** What an operation may know of a key. */
export const callerOf = (key: AuthenticatedKey): Caller => ({
  account_id: key.account_id,
  key_hash: key.hash,
  kind: key.kind,
  workspace_id: key.workspace_id,
  default_workspace_id: key.default_workspace_id,
  user_id: key.user_id
})
