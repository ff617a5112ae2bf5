import { unusableKeyHashes } from "@gatewarden/contract/internal"
import { Effect } from "effect"
import { DirectoryUsers } from "../ports/directory.ts"
import { type ApiKey, ApiKeys } from "../ports/keys.ts"
import { timestamp } from "../value/calendar.ts"
import { invalid } from "../value/failure.ts"
import { type Caller, reachesWorkspace } from "./Caller.ts"

/** The change that revoked the key ended it: a process whose clock is behind refuses it, too. */
export const isRevokedAtOnce = ({ revoked_at, updated_at }: Pick<ApiKey, "revoked_at" | "updated_at">): boolean =>
  revoked_at !== null && updated_at !== null && revoked_at <= updated_at

type Ends = Pick<ApiKey, "disabled" | "expires_at" | "revoked_at" | "updated_at">

/** Whether a key is accepted at an instant, ISO 8601 in UTC with milliseconds. */
export const isLive = (key: Ends, now: string): boolean =>
  !key.disabled && (key.expires_at === null || key.expires_at > now) && !isRevokedAtOnce(key)

/**
 * Fails with 400 unless every hash names a live key of the account, or is stored already. The error does not tell which hash is wrong and
 * why, so that keys of other accounts cannot be found out (Rule: byok#allow-lists, observability#destinations).
 */
export const requireLiveKeys = Effect.fnUntraced(function* (
  caller: Caller,
  hashes: readonly string[] | null | undefined,
  path: string,
  stored: readonly string[] | null = null
) {
  if (hashes == null || hashes.every((hash) => stored?.includes(hash) === true)) return
  const keys = yield* ApiKeys
  const now = yield* timestamp
  const live = new Set(
    (yield* keys.list(caller.account_id, { hashes }))
      .filter((key) => isLive(key, now) && reachesWorkspace(caller, key.workspace_id))
      .map(({ hash }) => hash)
  )
  if (!hashes.every((hash) => live.has(hash) || stored?.includes(hash) === true))
    return yield* invalid("unknown_api_key_hash", path, unusableKeyHashes)
})

/** Whether a directory says that the user may not act, so that nobody is given a key in the user's name. Rule: scim#deprovisioning. */
export const isDeprovisioned = Effect.fnUntraced(function* (account_id: string, user_id: string | null) {
  return user_id !== null && (yield* (yield* DirectoryUsers).isInactive(account_id, user_id))
})

/** 400 for a key of such a user. */
export const refuseDeprovisioned = Effect.fnUntraced(function* (
  account_id: string,
  user_id: string | null,
  path: string
) {
  if (yield* isDeprovisioned(account_id, user_id))
    return yield* invalid("user_deprovisioned", path, "The directory says that this user may not act")
})
