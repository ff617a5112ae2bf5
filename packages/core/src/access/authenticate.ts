/**
 * From an `Authorization` header to a caller.
 *
 * Source: specification, Authentication; decisions 2 and 4. Disabled, expired, deleted, of a deleted workspace: 401.
 */
import { Clock, Effect, Option } from "effect"
import { Unauthorized } from "../failure.ts"
import { Digest } from "../platform/Digest.ts"
import type { AuthenticatedKey } from "./ApiKey.ts"
import { ApiKeys } from "./ApiKeys.ts"
import { bearerToken } from "./bearerToken.ts"
import type { Caller } from "./Caller.ts"
import { KeyCache } from "./KeyCache.ts"
import { checkKeyFormat } from "./KeyFormat.ts"

const invalidKey = new Unauthorized({ reason: "invalid_api_key" })

export const authenticate = Effect.fnUntraced(function* (authorization: string | undefined) {
  const token = bearerToken(authorization)
  if (token === undefined) return yield* new Unauthorized({ reason: "missing_authentication" })
  // A wrong checksum costs nobody a look-up.
  if (checkKeyFormat(token) === "bad_checksum") return yield* invalidKey
  const digest = yield* Digest
  const hash = yield* digest.sha256Hex(token)
  const cache = yield* KeyCache
  const now = yield* Clock.currentTimeMillis
  const key = cache.kept(hash, now) ?? (yield* cache.get(hash, lookUpKey(hash)))
  if (key.disabled || (key.expires_at !== null && Date.parse(key.expires_at) <= now)) return yield* invalidKey
  return callerOf(key)
})

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
