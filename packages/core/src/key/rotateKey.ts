import { defaultOverlap, type RotateKey } from "@gatewarden/contract/internal"
import { Effect, Option, Redacted } from "effect"
import { refuseDeprovisioned } from "../access/liveKeys.ts"
import { notFound } from "../value/failure.ts"
import { Digest } from "../platform/Digest.ts"
import { Entropy } from "../platform/Entropy.ts"
import { operation } from "../tracing/operation.ts"
import { printedKey, usageOfKeys } from "./key.ts"
import { timestamp } from "../value/calendar.ts"
import type { Caller } from "../access/Caller.ts"
import { ApiKeys } from "../ports/keys.ts"
import { generateKey, keyLabel } from "../access/keyFormat.ts"

const earlier = (a: string | null, b: string | null): string | null =>
  a === null || b === null ? (a ?? b) : a < b ? a : b

/**
 * Gives an API key a new secret; the former one opens it for the overlap, or without an end if that is `null`. None when there is no such
 * key. Fails for the key of a user who may not act (Rule: scim#deprovisioning): it is disabled, so that one who stops acting while this
 * runs gets nothing that opens.
 */
export const rotateSecret = Effect.fnUntraced(function* (
  account_id: string,
  hash: string,
  overlapMillis: number | null
) {
  const [key] = yield* (yield* ApiKeys).list(account_id, { kind: "normal", hashes: [hash] })
  yield* refuseDeprovisioned(account_id, key?.user_id ?? null, "")
  const secret = Redacted.make(generateKey("normal", (yield* Entropy).bytes))
  const rotated = yield* (yield* ApiKeys).rotate(account_id, hash, {
    secret_hash: yield* (yield* Digest).sha256Hex(Redacted.value(secret)),
    label: keyLabel(Redacted.value(secret)),
    now: yield* timestamp,
    overlap_millis: overlapMillis
  })
  return Option.map(rotated, ({ record, overlap_ends_at }) => ({
    record,
    key: secret,
    /** When the former secret stops opening the key; `null`: when it is revoked. */
    former_ends_at: earlier(overlap_ends_at, record.expires_at)
  }))
})

/**
 * Rule: access#rotating-keys. The secret is always generated, also of a key that its host brought: a hash that nobody can know before it
 * is stored is never another key's.
 */
export const rotateKey = operation("rotateKey")(function* (caller: Caller, hash: string, fields: RotateKey) {
  // Read first, because nothing may fail after the change.
  const usage = yield* usageOfKeys(caller.account_id, [hash])
  const { overlap_seconds = defaultOverlap, revoke_previous_after_seconds = overlap_seconds } = fields
  const overlap = revoke_previous_after_seconds === null ? null : revoke_previous_after_seconds * 1_000
  const rotated = yield* rotateSecret(caller.account_id, hash, overlap)
  if (Option.isNone(rotated)) return yield* notFound()
  const { record, key, former_ends_at } = rotated.value
  return {
    data: printedKey(record, usage(hash)),
    key,
    predecessor: { hash: record.hash, disabled: overlap === 0, expires_at: former_ends_at }
  }
})
