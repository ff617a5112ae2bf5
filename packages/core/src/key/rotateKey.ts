import { defaultOverlap, type RotateKey } from "@gatewarden/contract"
import { Clock, Effect, Option, Redacted } from "effect"
import { refuseDeprovisioned } from "../directory/isDeprovisioned.ts"
import { notFound } from "../failure.ts"
import { Digest } from "../platform/Digest.ts"
import { Entropy } from "../platform/Entropy.ts"
import { operation } from "../tracing/operation.ts"
import { usageOfKeys } from "../usage/usageOfKeys.ts"
import { formatInstant } from "../value/timestamp.ts"
import type { Caller } from "../access/Caller.ts"
import { ApiKeys } from "./ApiKeys.ts"
import { generateKey, keyLabel } from "./KeyFormat.ts"
import { printedKey } from "./printedKey.ts"

/**
 * Gives an API key a new secret; the former one opens it for the overlap. None when there is no such key. Fails for the key of a user who
 * may not act (Rule: scim#deprovisioning): it is disabled, so that one who stops acting while this runs gets nothing that opens.
 */
export const rotateSecret = Effect.fnUntraced(function* (account_id: string, hash: string, overlapMillis: number) {
  const [key] = yield* (yield* ApiKeys).list(account_id, { kind: "normal", hashes: [hash] })
  yield* refuseDeprovisioned(account_id, key?.user_id ?? null, "")
  const now = yield* Clock.currentTimeMillis
  const secret = Redacted.make(generateKey("normal", (yield* Entropy).bytes))
  const rotated = yield* (yield* ApiKeys).rotate(account_id, hash, {
    secret_hash: yield* (yield* Digest).sha256Hex(Redacted.value(secret)),
    label: keyLabel(Redacted.value(secret)),
    now: formatInstant(now),
    overlap_ends_at: formatInstant(now + overlapMillis)
  })
  return Option.map(rotated, (record) => ({ record, key: secret }))
})

/**
 * Rule: access#rotating-keys. The secret is always generated, also of a key that its host brought: a hash that nobody can know before it
 * is stored is never another key's.
 */
export const rotateKey = operation("rotateKey")(function* (caller: Caller, hash: string, fields: RotateKey) {
  // Read first, because nothing may fail after the change.
  const usage = yield* usageOfKeys(caller.account_id, [hash])
  const overlap = fields.overlap_seconds ?? fields.revoke_previous_after_seconds ?? defaultOverlap
  const rotated = yield* rotateSecret(caller.account_id, hash, overlap * 1_000)
  if (Option.isNone(rotated)) return yield* notFound()
  const { record, key } = rotated.value
  return { data: printedKey(record, usage(hash)), key }
})
