import { Clock, Effect } from "effect"
import { type KeyUsage, KeyUsageReader, noUsage } from "../ports/usage.ts"

/** What each of some keys has spent and holds until now. */
export const usageOfKeys = Effect.fnUntraced(function* (account_id: string, hashes: readonly string[]) {
  const reader = yield* KeyUsageReader
  const now = yield* Clock.currentTimeMillis
  const used = hashes.length === 0 ? undefined : yield* reader.usageOf(account_id, hashes, now)
  return (hash: string): KeyUsage => used?.get(hash) ?? noUsage
})
