import type { UpdateAlertChannel } from "@gatewarden/contract"
import { Clock, Effect, Option, Redacted } from "effect"
import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import { timestamp } from "../value/timestamp.ts"
import { AlertChannels, type ReplacedChannelConfig, alertChannelChange } from "../ports/alerts.ts"
import { askRecipients, requireConfirmable, shownChannel } from "./confirmRecipients.ts"
import { maskChannelConfig } from "./maskChannelConfig.ts"
import { mergeChannelConfig } from "./mergeChannelConfig.ts"
import { newSigningSecret } from "./newSigningSecret.ts"
import { openChannelConfig, placeOfChannelConfig, sealChannelConfig } from "./sealChannelConfig.ts"

type PartOfConfig = Redacted.Redacted<NonNullable<UpdateAlertChannel["config"]>>

const replacedConfig = Effect.fnUntraced(function* (caller: Caller, id: string, sent: PartOfConfig) {
  const found = yield* (yield* AlertChannels).find(caller.account_id, id)
  if (Option.isNone(found)) return yield* notFound()
  const { channel, sealed_config: replaces } = found.value
  const place = placeOfChannelConfig(caller.account_id, channel)
  const stored = yield* openChannelConfig(replaces, place)
  const isAsked = channel.type === "webhook" && Redacted.value(sent)["signing_secret"] === null
  const made = isAsked ? yield* newSigningSecret : undefined
  const merged = yield* mergeChannelConfig(channel.type, stored, sent, made, yield* Clock.currentTimeMillis)
  if (merged === undefined) return { replaced: undefined, made: undefined }
  const config = maskChannelConfig(channel.type, Redacted.value(merged).config)
  if ("to" in config) yield* requireConfirmable(caller.account_id, config.to)
  const replaced: ReplacedChannelConfig = {
    replaces,
    config,
    sealed_config: yield* sealChannelConfig(merged, place)
  }
  return { replaced, made }
})

/** Rule: alerts#channels, alerts#channel-secrets, alerts#recipients, requests#patches. */
export const updateAlertChannel = operation("updateAlertChannel")(function* (
  caller: Caller,
  id: string,
  config: PartOfConfig | undefined,
  fields: Omit<UpdateAlertChannel, "config">
) {
  const channels = yield* AlertChannels
  const change = alertChannelChange(fields)
  for (;;) {
    const { replaced, made } =
      config === undefined ? { replaced: undefined, made: undefined } : yield* replacedConfig(caller, id, config)
    const outcome = yield* channels.update(caller.account_id, id, change, replaced, yield* timestamp)
    if (outcome === "missing") return yield* notFound()
    // Whoever was first has made progress, so that this ends. What was sent is merged into what they have stored.
    if (outcome === "superseded") continue
    if (replaced !== undefined && outcome.type === "email") yield* askRecipients(caller.account_id, outcome.config.to)
    return { data: yield* shownChannel(caller.account_id, outcome), signing_secret: made }
  }
})
