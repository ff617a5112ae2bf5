import { Clock } from "effect"
import { refuseDeprovisioned } from "../access/isDeprovisioned.ts"
import { formatInstant } from "../value/timestamp.ts"
import { operation } from "../tracing/operation.ts"
import { type ApiKey, ApiKeys } from "../ports/keys.ts"
import { newApiKey } from "./newApiKey.ts"

/**
 * Replaces a management or gateway key with a new one; the old key stays valid for the overlap. Undefined when the key is gone.
 *
 * Rule: access#rotating-keys. An API key is rotated instead (`rotateKey`): its spending and assignments belong to its hash.
 * The new key ends when the old one would have.
 */
export const replaceKey = operation("replaceKey")(function* (old: ApiKey, overlapMillis: number) {
  const millis = yield* Clock.currentTimeMillis
  const { key, record } = yield* newApiKey({
    kind: old.kind,
    account_id: old.account_id,
    workspace_id: null,
    user_id: old.user_id,
    creator_user_id: old.creator_user_id,
    name: old.name,
    restrictions: old.restrictions,
    expires_at: old.expires_at
  })
  const retired = yield* (yield* ApiKeys).retire(old.account_id, old.hash, {
    now: formatInstant(millis),
    at: formatInstant(millis + overlapMillis),
    successor: record,
    force: false
  })
  if (retired === "deprovisioned") return yield* refuseDeprovisioned(old.account_id, old.user_id, "")
  return retired === "absent" ? undefined : { key, record }
})
