import { unusableKeyHashes } from "@gatewarden/contract"
import { Effect } from "effect"
import { ApiKeys } from "../key/ApiKeys.ts"
import type { Caller } from "../access/Caller.ts"
import { reachesWorkspace } from "../access/restrictions.ts"
import { isLive } from "../key/isLive.ts"
import { invalid } from "../failure.ts"
import { timestamp } from "../value/timestamp.ts"

/**
 * Fails with 400 unless every hash names a live key of the account. The error does not tell which hash is wrong and why, so that keys of
 * other accounts cannot be found out (Rule: byok#allow-lists).
 */
export const requireLiveKeys = Effect.fnUntraced(function* (
  caller: Caller,
  hashes: readonly string[] | null | undefined
) {
  if (hashes == null) return
  const keys = yield* ApiKeys
  const now = yield* timestamp
  const live = new Set(
    (yield* keys.list(caller.account_id, { hashes }))
      .filter((key) => isLive(key, now) && reachesWorkspace(caller, key.workspace_id))
      .map(({ hash }) => hash)
  )
  if (!hashes.every((hash) => live.has(hash)))
    return yield* invalid("unknown_api_key_hash", "allowed_api_key_hashes", unusableKeyHashes)
})
