/**
 * Merges the fields of a PATCH into the stored config of an alert channel.
 *
 * Rule: alerts#channel-secrets, observability#merged-configs, observability#new-addresses.
 */
import { alertChannelConfigs, type AlertChannelConfig, type AlertChannelType } from "@gatewarden/contract"
import { Effect, Redacted } from "effect"
import { BadRequest } from "../value/failure.ts"
import { isSameHost } from "../observability/isSameHost.ts"
import { checkInput } from "../value/checkInput.ts"
import type { ChannelConfig } from "./ChannelConfig.ts"
import { looksMaskedIn, maskChannelConfig } from "./maskChannelConfig.ts"

type Fields = Readonly<Record<string, unknown>>

/** For so long a replaced signing secret signs, too. */
const overlapMillis = 86_400_000

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

/** `made`: a new signing secret, for where `null` was sent. Undefined when nothing changes. */
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
