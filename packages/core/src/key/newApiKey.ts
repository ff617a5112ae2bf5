import { Effect, Redacted } from "effect"
import { Digest } from "../platform/Digest.ts"
import { Entropy } from "../platform/Entropy.ts"
import { timestamp } from "../value/timestamp.ts"
import { type ApiKey, generateKey, keyLabel } from "../ports/keys.ts"

type Given = Pick<ApiKey, "kind" | "account_id" | "workspace_id" | "name"> &
  Partial<Omit<ApiKey, "hash" | "label" | "created_at" | "updated_at">>

/** A new key, generated unless one is given, and the record that a store keeps of it. */
export const newApiKey = Effect.fnUntraced(function* (fields: Given, given?: Redacted.Redacted<string>) {
  const entropy = yield* Entropy
  const digest = yield* Digest
  const key = given ?? Redacted.make(generateKey(fields.kind, entropy.bytes))
  const record: ApiKey = {
    user_id: null,
    external_user: null,
    creator_user_id: null,
    issued_by: null,
    disabled: false,
    limit: null,
    limit_reset: null,
    include_byok_in_limit: false,
    restrictions: null,
    expires_at: null,
    revoked_at: null,
    ...fields,
    hash: yield* digest.sha256Hex(Redacted.value(key)),
    label: keyLabel(Redacted.value(key)),
    created_at: yield* timestamp,
    updated_at: null
  }
  return { key, record }
})
