import { unusableKeyHashes } from "@gatewarden/contract"
import { Effect } from "effect"
import { ApiKeys } from "../ports/keys.ts"
import { invalid } from "../value/failure.ts"
import { timestamp } from "../value/timestamp.ts"
import type { Caller } from "./Caller.ts"
import { isLive } from "./isLive.ts"
import { reachesWorkspace } from "./restrictions.ts"

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
