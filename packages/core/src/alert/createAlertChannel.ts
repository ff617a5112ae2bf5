import { alertChannelsPerWorkspace, alertKinds, type CreateAlertChannel } from "@gatewarden/contract"
import { Redacted } from "effect"
import type { Caller } from "../access/Caller.ts"
import { invalid } from "../value/failure.ts"
import { Entropy } from "../platform/Entropy.ts"
import { operation } from "../tracing/operation.ts"
import { timestamp } from "../value/timestamp.ts"
import { resolveWorkspace, unknownWorkspace } from "../access/resolveWorkspace.ts"
import { AlertChannels, type ChannelFields } from "../ports/alerts.ts"
import { askRecipients, requireConfirmable, shownChannel } from "./confirmRecipients.ts"
import { MailTransport } from "./MailTransport.ts"
import { maskChannelConfig } from "./maskChannelConfig.ts"
import { newSigningSecret } from "./newSigningSecret.ts"
import { placeOfChannelConfig, sealChannelConfig } from "./sealChannelConfig.ts"

const defaultQuietSeconds = 3_600

type Sent = Redacted.Redacted<CreateAlertChannel["config"]>

/** Rule: alerts#channels, alerts#channel-secrets, alerts#recipients. */
export const createAlertChannel = operation("createAlertChannel")(function* (
  caller: Caller,
  sent: Sent,
  fields: Omit<CreateAlertChannel, "config">
) {
  if (fields.type === "email" && (yield* MailTransport) === undefined)
    return yield* invalid("mail_unavailable", "type", "Expected webhook or slack: this server cannot send mail")
  const identity = {
    id: (yield* Entropy).uuid(),
    workspace_id: yield* resolveWorkspace(caller, fields.workspace_id, "workspace_id")
  }
  // The contract has checked that type and config match; the spread of a union loses that type.
  const given = Redacted.value(sent) as { readonly signing_secret?: string | null }
  const made =
    fields.type === "webhook" && (given.signing_secret ?? undefined) === undefined ? yield* newSigningSecret : undefined
  const config = (made === undefined ? given : { ...given, signing_secret: Redacted.value(made) }) as Parameters<
    typeof maskChannelConfig
  >[1]
  const channel = {
    ...identity,
    name: fields.name,
    type: fields.type,
    config: maskChannelConfig(fields.type, config),
    events: fields.events ?? [...alertKinds],
    quiet_time_seconds: fields.quiet_time_seconds ?? defaultQuietSeconds,
    enabled: fields.enabled ?? true,
    created_at: yield* timestamp,
    updated_at: null
  } as ChannelFields
  const recipients = channel.type === "email" ? channel.config.to : []
  yield* requireConfirmable(caller.account_id, recipients)
  const sealed = yield* sealChannelConfig(Redacted.make({ config }), placeOfChannelConfig(caller.account_id, identity))
  switch (yield* (yield* AlertChannels).insert(caller.account_id, channel, sealed)) {
    case "inserted":
      yield* askRecipients(caller.account_id, recipients)
      return { data: yield* shownChannel(caller.account_id, channel), signing_secret: made }
    case "missing":
      return yield* unknownWorkspace("workspace_id")
    case "full":
      return yield* invalid(
        "quota_exceeded",
        "",
        `The workspace has ${alertChannelsPerWorkspace} alert channels already. Delete one that is not needed`
      )
  }
})
