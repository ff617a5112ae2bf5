import { timestamp } from "../value/timestamp.ts"
import { operation } from "../tracing/operation.ts"
import { type ApiKey, ApiKeys } from "../ports/keys.ts"

/**
 * Ends a key: at once on this process, within two seconds on every other (Rule: access#changes-take-effect). `last`: the key was kept,
 * because nobody could manage the account without it; `force` revokes it anyway.
 */
export const revokeKey = operation("revokeKey")(function* (key: ApiKey, force: boolean) {
  const now = yield* timestamp
  const outcome = yield* (yield* ApiKeys).retire(key.account_id, key.hash, {
    now,
    at: now,
    successor: undefined,
    force
  })
  return outcome
})
