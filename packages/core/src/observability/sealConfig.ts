/** The real config of a destination, as one encrypted JSON text. Rule: observability#masked-configs. */
import type { Destination } from "@gatewarden/contract"
import { Effect, Redacted } from "effect"
import { type SecretPlace, Vault } from "../vault/Vault.ts"

/** The table, field and row to which the ciphertext is bound. */
export const placeOfConfig = (
  account_id: string,
  destination: Pick<Destination, "workspace_id" | "id">
): SecretPlace => ({
  table: "destination",
  field: "config",
  account_id,
  workspace_id: destination.workspace_id,
  row_id: destination.id
})

export const sealConfig: (
  config: Redacted.Redacted<Destination["config"]>,
  place: SecretPlace
) => Effect.Effect<Uint8Array, never, Vault> = Effect.fnUntraced(function* (config, place) {
  const vault = yield* Vault
  return yield* vault.seal(Redacted.make(JSON.stringify(Redacted.value(config))), place)
})

/** Dies where no key of the keyring decrypts it. */
export const openConfig: (
  sealed: Uint8Array,
  place: SecretPlace
) => Effect.Effect<Redacted.Redacted<Destination["config"]>, never, Vault> = Effect.fnUntraced(
  function* (sealed, place) {
    const vault = yield* Vault
    const text = yield* Effect.orDie(vault.open(sealed, place))
    return Redacted.make(JSON.parse(Redacted.value(text)) as Destination["config"])
  }
)
