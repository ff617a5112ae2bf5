import {
  type Alert,
  type AlertTestResult,
  type CreateAlertChannel,
  type QueryOf,
  type UpdateAlertChannel,
  alertChannelsPerWorkspace,
  alertKinds,
  type listAlertChannels as listAlertChannelsDeclaration,
  type listAlerts as listAlertsDeclaration
} from "@gatewarden/contract/internal"
import { Clock, Effect, Option, Redacted } from "effect"
import { type Caller, reachesWorkspace } from "../access/Caller.ts"
import { resolveWorkspace, unknownWorkspace } from "../access/workspaceOfRequest.ts"
import { Entropy } from "../platform/Entropy.ts"
import {
  type AlertChannelChange,
  type ChannelFields,
  type ReplacedChannelConfig,
  AlertChannels,
  Alerts
} from "../ports/alerts.ts"
import { operation } from "../tracing/operation.ts"
import type { Page } from "../value/Page.ts"
import { timestamp } from "../value/calendar.ts"
import { invalid, notFound } from "../value/failure.ts"
import {
  maskChannelConfig,
  mergeChannelConfig,
  newSigningSecret,
  openChannelConfig,
  contextOfChannelConfig,
  sealChannelConfig
} from "./config.ts"
import { askRecipients, requireConfirmable, shownChannel, shownChannels } from "./confirmRecipients.ts"
import { nameAlerts } from "./describeAlert.ts"
import { MailTransport } from "./mail.ts"
import { sendAlert } from "./sendAlert.ts"
import { sentFields } from "../value/sentFields.ts"

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
  const sealed = yield* sealChannelConfig(
    Redacted.make({ config }),
    contextOfChannelConfig(caller.account_id, identity)
  )
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

/** Rule: alerts#channels. */
export const deleteAlertChannel = operation("deleteAlertChannel")(function* (caller: Caller, id: string) {
  if (!(yield* (yield* AlertChannels).remove(caller.account_id, id))) return yield* notFound()
  return { deleted: true as const }
})

/** Rule: alerts#channels. */
export const getAlertChannel = operation("getAlertChannel")(function* (caller: Caller, id: string) {
  const found = yield* (yield* AlertChannels).find(caller.account_id, id)
  return Option.isSome(found) ? yield* shownChannel(caller.account_id, found.value.channel) : yield* notFound()
})

/** Rule: alerts#channels, requests#lists. */
export const listAlertChannels = operation("listAlertChannels")(function* (
  caller: Caller,
  { workspace_id, ...page }: QueryOf<typeof listAlertChannelsDeclaration>
) {
  const workspace = yield* resolveWorkspace(caller, workspace_id, "query.workspace_id")
  const { data, total_count } = yield* (yield* AlertChannels).list(caller.account_id, { workspace_id: workspace }, page)
  return { data: yield* shownChannels(caller.account_id, data), total_count }
})

/** Rule: alerts#list-of-alerts, requests#lists, requests#names-beside-ids. */
export const listAlerts = operation("listAlerts")(function* (
  caller: Caller,
  { workspace_id, ...page }: QueryOf<typeof listAlertsDeclaration>
) {
  const workspace = yield* resolveWorkspace(caller, workspace_id, "query.workspace_id")
  const { data, total_count } = yield* (yield* Alerts).list(caller.account_id, { workspace_id: workspace }, page)
  const named = yield* nameAlerts(caller.account_id, data, (id) => reachesWorkspace(caller, id))
  const listed: Page<Alert> = {
    data: named.map(({ deliveries, ...alert }) => ({ ...alert, deliveries: [...deliveries] })),
    total_count
  }
  return listed
})

/** Rule: alerts#tests-of-channels, alerts#recipients. */
export const testAlertChannel = operation("testAlertChannel")(function* (caller: Caller, id: string) {
  const found = yield* (yield* AlertChannels).find(caller.account_id, id)
  if (Option.isNone(found)) return yield* notFound()
  const { channel, sealed_config } = found.value
  const { delivered, status, message } = yield* sendAlert(
    caller.account_id,
    channel,
    yield* openChannelConfig(sealed_config, contextOfChannelConfig(caller.account_id, channel)),
    [
      {
        id: (yield* Entropy).uuid(),
        type: "channel.test",
        workspace_id: channel.workspace_id,
        subject: channel.id,
        data: { channel_id: channel.id, channel_name: channel.name },
        created_at: yield* timestamp
      }
    ]
  )
  const asked = channel.type === "email" ? yield* askRecipients(caller.account_id, channel.config.to, true) : 0
  const links = asked === 0 ? [] : [`Links to confirm were sent: ${asked}.`]
  const said = [...(message === null ? [] : [message]), ...links]
  const result: AlertTestResult = { delivered, status, message: said.length === 0 ? null : said.join(" ") }
  return result
})

type PartOfConfig = Redacted.Redacted<NonNullable<UpdateAlertChannel["config"]>>

const replacedConfig = Effect.fnUntraced(function* (caller: Caller, id: string, sent: PartOfConfig) {
  const found = yield* (yield* AlertChannels).find(caller.account_id, id)
  if (Option.isNone(found)) return yield* notFound()
  const { channel, sealed_config: replaces } = found.value
  const context = contextOfChannelConfig(caller.account_id, channel)
  const stored = yield* openChannelConfig(replaces, context)
  const isAsked = channel.type === "webhook" && Redacted.value(sent)["signing_secret"] === null
  const made = isAsked ? yield* newSigningSecret : undefined
  const merged = yield* mergeChannelConfig(channel.type, stored, sent, made, yield* Clock.currentTimeMillis)
  if (merged === undefined) return { replaced: undefined, made: undefined }
  const config = maskChannelConfig(channel.type, Redacted.value(merged).config)
  if ("to" in config) yield* requireConfirmable(caller.account_id, config.to)
  const replaced: ReplacedChannelConfig = {
    replaces,
    config,
    sealed_config: yield* sealChannelConfig(merged, context)
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

export const alertChannelChange = (fields: Omit<UpdateAlertChannel, "config">): AlertChannelChange =>
  sentFields(fields, [], ["name", "events", "quiet_time_seconds", "enabled"])
