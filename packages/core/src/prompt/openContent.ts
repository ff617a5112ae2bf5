/** Input and output of a request that its workspace keeps, as one encrypted JSON text. Rule: usage#prompt-logging. */
import { Effect, Redacted } from "effect"
import type { Bodies } from "./sealBodies.ts"
import { type SecretPlace, Vault } from "../vault/Vault.ts"

/** The table, field and row to which the ciphertext is bound: what waits for a destination does not decrypt here, nor the other way round. */
export const placeOfContent = (account_id: string, workspace_id: string, event_id: string): SecretPlace => ({
  table: "generation_content",
  field: "bodies",
  account_id,
  workspace_id,
  row_id: event_id
})

/** Dies where no key of the keyring decrypts it: the server does not start with such a keyring. */
export const openContent = Effect.fnUntraced(function* (sealed: Uint8Array, place: SecretPlace) {
  const text = yield* Effect.orDie((yield* Vault).open(sealed, place))
  return Redacted.make(JSON.parse(Redacted.value(text)) as Bodies)
})
