/**
 * The stored form of a provider key: the ciphertext, which is bound to its row, and the label.
 *
 * Rule: secrets#encryption.
 */
import type { ByokCredential } from "@gatewarden/contract"
import { Effect, Redacted } from "effect"
import { maskSecret } from "../vault/maskSecret.ts"
import { type SecretPlace, Vault } from "../vault/Vault.ts"

export interface SealedKey {
  readonly label: string
  readonly sealed_key: Uint8Array
}

/** The table, field and row to which the ciphertext of a credential's key is bound. */
export const placeOfKey = (
  account_id: string,
  credential: Pick<ByokCredential, "workspace_id" | "id">
): SecretPlace => ({
  table: "byok_credential",
  field: "key",
  account_id,
  workspace_id: credential.workspace_id,
  row_id: credential.id
})

export const sealKey = Effect.fnUntraced(function* (key: Redacted.Redacted<string>, place: SecretPlace) {
  const vault = yield* Vault
  const sealed: SealedKey = {
    label: maskSecret(Redacted.value(key)),
    sealed_key: yield* vault.seal(key, place)
  }
  return sealed
})
