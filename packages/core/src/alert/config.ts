import {
  type AlertChannel,
  type AlertChannelConfig,
  type AlertChannelType,
  alertChannelConfigs
} from "@gatewarden/contract/internal"
import { Effect, Redacted } from "effect"
import { isSameHost } from "../destination/config.ts"
import { looksMaskedUrl, maskUrl } from "../destination/maskUrl.ts"
import { Entropy } from "../platform/Entropy.ts"
import { checkInput } from "../value/checkInput.ts"
import { BadRequest } from "../value/failure.ts"
import { type EncryptionContext, Vault } from "../vault/Vault.ts"
import { looksMasked, maskSecret } from "../vault/maskSecret.ts"
import { dayMillis } from "../value/calendar.ts"

/** A replaced signing secret that still signs. */
export interface FormerSecret {
  readonly secret: string
  /** Epoch milliseconds. */
  readonly until: number
}

/**
 * The config of an alert channel as it is kept.
 *
 * What is encrypted: the config, and the signing secret that it had before.
 */
export interface ChannelConfig<Type extends AlertChannelType = AlertChannelType> {
  readonly config: AlertChannelConfig<Type>
  readonly former?: FormerSecret | undefined
}

const behindHost = (url: string): readonly [origin: string, rest: string] => {
  const [, origin = "", rest = ""] = /^(\s*https?:[/\\]{2}[^/\\?#]*)[/\\]?(.*)$/is.exec(url) ?? []
  return [origin, rest]
}

const maskSlackUrl = (url: string): string => {
  const [origin, rest] = behindHost(url)
  return `${origin}/${rest === "" ? "" : maskSecret(rest)}`
}

/** Whether a value looks like what is shown of a secret in this field. */
export const looksMaskedIn = (type: AlertChannelType, field: string, value: string): boolean => {
  if (field === "signing_secret") return looksMasked(value)
  if (field !== "url") return false
  return type === "slack" ? looksMasked(behindHost(value)[1]) : looksMaskedUrl(value)
}

/**
 * Masks the config of an alert channel for responses.
 *
 * Rule: alerts#channel-secrets, secrets#masks. The address of an incoming webhook of Slack is a credential: behind its host all of it is
 * masked.
 *
 * What is shown of a config.
 */
export const maskChannelConfig = (type: AlertChannelType, config: AlertChannelConfig): AlertChannel["config"] => {
  if (!("url" in config)) return config
  return "signing_secret" in config
    ? { url: maskUrl(config.url), signing_secret: maskSecret(config.signing_secret) }
    : { url: type === "slack" ? maskSlackUrl(config.url) : maskUrl(config.url) }
}

type Fields = Readonly<Record<string, unknown>>

/** For so long a replaced signing secret signs, too. */
const overlapMillis = dayMillis

const refuse = (reason: "masked_value" | "secret_required", path: string, message: string) =>
  new BadRequest({ reason, issues: [{ path, code: reason, message }] })

/** The config with what was sent. `null` removes a field; fields that the type does not have are ignored. */
const merge = Effect.fnUntraced(function* (type: AlertChannelType, stored: Fields, sent: Fields) {
  const shown = maskChannelConfig(type, stored as unknown as AlertChannelConfig) as unknown as Fields
  const merged = new Map(Object.entries(stored))
  for (const field of Object.keys(alertChannelConfigs[type].shape)) {
    if (!Object.hasOwn(sent, field)) continue
    const value = sent[field]
    if (value === null) merged.delete(field)
    else if (value === shown[field]) continue
    else if (typeof value === "string" && looksMaskedIn(type, field, value))
      return yield* refuse(
        "masked_value",
        `config.${field}`,
        "Expected the whole secret, or what is shown of the stored one"
      )
    else merged.set(field, value)
  }
  return Object.fromEntries(merged)
})

/**
 * Merges the fields of a PATCH into the stored config of an alert channel.
 *
 * Rule: alerts#channel-secrets, observability#merged-configs, observability#new-addresses.
 *
 * `made`: a new signing secret, for where `null` was sent. Undefined when nothing changes.
 */
export const mergeChannelConfig = Effect.fnUntraced(function* (
  type: AlertChannelType,
  stored: Redacted.Redacted<ChannelConfig>,
  sent: Redacted.Redacted<Fields>,
  made: Redacted.Redacted<string> | undefined,
  now: number
) {
  const { config: before, former } = Redacted.value(stored)
  const fields = Redacted.value(sent)
  const given = made === undefined ? fields : { ...fields, signing_secret: Redacted.value(made) }
  const merged = yield* merge(type, before as unknown as Fields, given)
  const config = (yield* checkInput(alertChannelConfigs[type], merged, "config.")) as AlertChannelConfig
  if (!("signing_secret" in config) || !("signing_secret" in before)) {
    const isSame = JSON.stringify(config) === JSON.stringify(before)
    return isSame ? undefined : Redacted.make<ChannelConfig>({ config })
  }
  const isSent = given["signing_secret"] === config.signing_secret
  const isMoved = !isSameHost(before.url, config.url)
  if (isMoved && !isSent)
    return yield* refuse(
      "secret_required",
      "config.signing_secret",
      "Expected a signing secret in whole, or null for a new one, because the address has another host"
    )
  if (config.signing_secret === before.signing_secret)
    return config.url === before.url ? undefined : Redacted.make<ChannelConfig>({ config, former })
  // Another host must not receive what it could present to the one before.
  return Redacted.make<ChannelConfig>({
    config,
    former: isMoved ? undefined : { secret: before.signing_secret, until: now + overlapMillis }
  })
})

/** The table, field and row to which the ciphertext is bound. */
export const contextOfChannelConfig = (
  account_id: string,
  channel: Pick<AlertChannel, "workspace_id" | "id">
): EncryptionContext => ({
  table: "alert_channel",
  field: "config",
  account_id,
  workspace_id: channel.workspace_id,
  row_id: channel.id
})

/** The real config of an alert channel, as one encrypted JSON text. Rule: alerts#channel-secrets. */
export const sealChannelConfig = Effect.fnUntraced(function* (
  config: Redacted.Redacted<ChannelConfig>,
  context: EncryptionContext
) {
  return yield* (yield* Vault).seal(Redacted.make(JSON.stringify(Redacted.value(config))), context)
})

/** Dies where no key of the keyring decrypts it. */
export const openChannelConfig = Effect.fnUntraced(function* (sealed: Uint8Array, context: EncryptionContext) {
  const text = yield* Effect.orDie((yield* Vault).open(sealed, context))
  return Redacted.make(JSON.parse(Redacted.value(text)) as ChannelConfig)
})

/** 256 random bits, in the form of Standard Webhooks. */
export const newSigningSecret = Effect.map(Entropy, (entropy) =>
  Redacted.make(`whsec_${btoa(String.fromCharCode(...entropy.bytes(32)))}`)
)
