/** The real config of an alert channel, as one encrypted JSON text. Rule: alerts#channel-secrets. */
import type { AlertChannel } from "@gatewarden/contract"
import { Effect, Redacted } from "effect"
import { type SecretPlace, Vault } from "../vault/Vault.ts"
import type { ChannelConfig } from "./ChannelConfig.ts"

/** The table, field and row to which the ciphertext is bound. */
export const placeOfChannelConfig = (
  account_id: string,
  channel: Pick<AlertChannel, "workspace_id" | "id">
): SecretPlace => ({
  table: "alert_channel",
  field: "config",
  account_id,
  workspace_id: channel.workspace_id,
  row_id: channel.id
})

export const sealChannelConfig = Effect.fnUntraced(function* (
  config: Redacted.Redacted<ChannelConfig>,
  place: SecretPlace
) {
  return yield* (yield* Vault).seal(Redacted.make(JSON.stringify(Redacted.value(config))), place)
})

/** Dies where no key of the keyring decrypts it. */
export const openChannelConfig = Effect.fnUntraced(function* (sealed: Uint8Array, place: SecretPlace) {
  const text = yield* Effect.orDie((yield* Vault).open(sealed, place))
  return Redacted.make(JSON.parse(Redacted.value(text)) as ChannelConfig)
})
