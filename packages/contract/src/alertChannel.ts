/**
 * Alert channels: where a workspace is told that a budget is nearly spent, a key is about to expire or a destination is dead.
 *
 * Rule: alerts#channels, alerts#channel-secrets, alerts#tests-of-channels.
 */
import * as z from "zod"
import { manyOf } from "./manyOf.ts"
import { json, operation, optionalJson } from "./operation.ts"
import { partOfConfig } from "./partOfConfig.ts"
import {
  createdAt,
  dataOf,
  Deleted,
  documentedAs,
  inWorkspace,
  listOf,
  ofWorkspace,
  page,
  text,
  updatedOrNever,
  uuid,
  workspaceId
} from "./primitives.ts"

/** Descriptions of fields that several schemas here have. */
const about = {
  id: "Id of the alert channel.",
  enabled: "Whether the channel sends alerts.",
  type: "How the channel delivers: an HTTP request, a message in Slack, or an e-mail.",
  config: "Where the channel delivers to."
} as const

/** What a channel may tell of. */
export const alertKinds = [
  "budget.spent_80",
  "budget.spent_95",
  "budget.denied",
  "key.expiring",
  "destination.failing",
  "destination.dead_letters"
] as const
export type AlertKind = (typeof alertKinds)[number]

export const AlertKinds = z.enum(alertKinds)

/** A workspace has at most so many. */
export const alertChannelsPerWorkspace = 20

/** Addresses of one channel. */
const recipients = 10

/** The longest quiet time: a week. */
const maxQuietSeconds = 604_800

/** Without credentials, which a request does not send; the rest of the URL may hold some. */
const url = z
  .string()
  // A parser takes the square of the length of a host.
  .max(2_048, { abort: true })
  .superRefine((value, context) => {
    let parsed: URL | undefined
    try {
      parsed = new URL(value)
    } catch {
      // The issue is the same.
    }
    const isHttp = parsed?.protocol === "https:" || parsed?.protocol === "http:"
    if (!isHttp || parsed?.username !== "" || parsed.password !== "")
      context.addIssue({
        code: "custom",
        params: { code: "invalid_url" },
        message: "Expected an http or https URL without a user name and a password"
      })
  })
  .meta({ [documentedAs]: { type: "string", format: "uri", maxLength: 2_048 } })

/** `whsec_` and base64 of 24 to 64 bytes, as Standard Webhooks asks for. */
const signingSecret = z
  .string()
  .regex(
    /^whsec_(?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
    "Expected whsec_ and base64 of 24 to 64 bytes"
  )

/** Characters of an address that need no quotes, so that an address is one word of a header. */
const mailAddress = z
  .string()
  .max(254)
  .regex(
    /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/,
    "Expected an address such as ops@example.com"
  )

/** The fields of a config, by type. */
export const alertChannelConfigs = {
  webhook: z.object({
    url: url.describe("Address that receives the alerts by POST: http or https, without user name and password."),
    signing_secret: signingSecret.describe("Secret that signs each request, shown masked.")
  }),
  slack: z.object({ url: url.describe("An incoming webhook of Slack, or of a service that takes its format.") }),
  email: z.object({
    to: z
      .array(mailAddress)
      .min(1)
      .max(recipients)
      // A mailbox is one recipient, however its address is written.
      .overwrite((all) => {
        const mailboxes = all.map((address) => address.toLowerCase())
        return all.filter((_, index) => mailboxes.indexOf(mailboxes[index] ?? "") === index)
      })
      .describe("E-mail addresses that receive the alerts. Addresses of one mailbox count once.")
  })
} as const
export type AlertChannelType = keyof typeof alertChannelConfigs

type Configs = { readonly [Type in AlertChannelType]: z.output<(typeof alertChannelConfigs)[Type]> }
export type AlertChannelConfig<Type extends AlertChannelType = AlertChannelType> = Configs[Type]

const common = {
  id: uuid.describe(about.id),
  workspace_id: workspaceId,
  name: z.string().describe("Name of the channel."),
  events: z.array(AlertKinds).describe("Kinds of events that the channel reports."),
  quiet_time_seconds: z
    .int()
    .describe("Seconds after an alert in which the channel sends no second one of the same kind and subject."),
  enabled: z.boolean().describe(about.enabled),
  created_at: createdAt,
  updated_at: updatedOrNever
}

export const AlertChannel = z
  .discriminatedUnion("type", [
    z.object({
      ...common,
      type: z.literal("webhook").describe(about.type),
      config: z
        .object({
          url: z.string().describe("Address that receives the alerts, with its secret parts masked."),
          signing_secret: z.string().describe("The secret that signs each request, masked.")
        })
        .describe(about.config)
    }),
    z.object({
      ...common,
      type: z.literal("slack").describe(about.type),
      config: z
        .object({ url: z.string().describe("Address that receives the alerts, with its secret parts masked.") })
        .describe(about.config)
    }),
    z.object({
      ...common,
      type: z.literal("email").describe(about.type),
      config: alertChannelConfigs.email.describe(about.config),
      unconfirmed_recipients: z
        .array(z.string())
        .describe(
          "Addresses of `config.to` that have not confirmed for this account and get no alerts yet. Each received a link; a test of the channel sends another one."
        )
    })
  ])
  .meta({ id: "AlertChannel", description: "A channel on which a workspace receives alerts." })
export type AlertChannel = z.output<typeof AlertChannel>

const writable = {
  name: text(1, 200).describe("Name of the channel."),
  events: manyOf(AlertKinds)
    .min(1)
    .overwrite((kinds) => [...new Set(kinds)])
    .describe("Kinds of events that the channel reports. Default: all of them."),
  quiet_time_seconds: z
    .int()
    .min(0)
    .max(maxQuietSeconds)
    .describe(
      "Seconds after an alert in which the channel sends no second one of the same kind and subject. Default: 3600."
    ),
  enabled: z.boolean()
}

const creatable = {
  name: writable.name,
  events: writable.events.nullish(),
  quiet_time_seconds: writable.quiet_time_seconds.nullish(),
  enabled: writable.enabled.nullish().describe("Whether the channel sends alerts. Default: `true`."),
  workspace_id: inWorkspace
}

export const CreateAlertChannel = z
  .discriminatedUnion(
    "type",
    [
      z.object({
        ...creatable,
        type: z.literal("webhook").describe(about.type),
        config: z
          .object({
            url: url.describe(
              "Address that receives the alerts by POST: http or https, without user name and password."
            ),
            signing_secret: signingSecret
              .describe("Secret that signs each request. Default: a new one, which the response shows once.")
              .nullish()
          })
          .describe(about.config)
      }),
      z.object({
        ...creatable,
        type: z.literal("slack").describe(about.type),
        config: alertChannelConfigs.slack.describe(about.config)
      }),
      z.object({
        ...creatable,
        type: z.literal("email").describe(about.type),
        config: alertChannelConfigs.email.describe(about.config)
      })
    ],
    { error: "Expected one of webhook, slack, email" }
  )
  .meta({ id: "CreateAlertChannel", description: "A new alert channel." })
export type CreateAlertChannel = z.output<typeof CreateAlertChannel>

export const UpdateAlertChannel = z
  .object({
    name: writable.name.optional(),
    events: writable.events.nullish(),
    quiet_time_seconds: writable.quiet_time_seconds.nullish(),
    enabled: writable.enabled.nullish().describe(about.enabled),
    config: partOfConfig(
      "Fields of the config of this type. Absent ones stay. `signing_secret` null makes a new secret, which the answer shows once."
    ).optional()
  })
  .meta({ id: "UpdateAlertChannel", description: "Changes of an alert channel. Absent fields stay." })
export type UpdateAlertChannel = z.output<typeof UpdateAlertChannel>

const newSecret = z
  .string()
  .nullable()
  .describe("Signing secret that this request made. Store it: it is not shown again. `null`: the request made none.")

export const AlertChannelWithSecret = z.object({ data: AlertChannel, signing_secret: newSecret }).meta({
  id: "AlertChannelWithSecret",
  description: "An alert channel, with its signing secret if the request made one."
})

export const AlertTestResult = z
  .object({
    delivered: z.boolean().describe("Whether the receiver accepted the test."),
    status: z.int().nullable().describe("Status of the receiver, of HTTP or of SMTP. `null`: it did not answer."),
    message: z
      .string()
      .nullable()
      .describe(
        "Why the test was not delivered, or not to all addresses, without secrets. `null`: all addresses accepted it."
      )
  })
  .meta({ id: "AlertTestResult", description: "Result of a test of an alert channel." })
export type AlertTestResult = z.output<typeof AlertTestResult>

const example = {
  id: "3f1c2b7a-5d0e-4c1b-8a77-0b9d6e4f2a15",
  workspace_id: "0b6f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e11",
  name: "On call",
  type: "webhook",
  config: { url: "https://ops.example.com/gatewarden", signing_secret: "wh...d3Q=" },
  events: ["budget.spent_95", "budget.denied"],
  quiet_time_seconds: 3600,
  enabled: true,
  created_at: "2026-01-05T09:30:00.000Z",
  updated_at: null
} satisfies AlertChannel

const tag = "Alerts"
const params = z.object({ id: uuid.describe(about.id) })
const path = "/gateway/alert-channels"

export const createAlertChannel = operation({
  id: "createAlertChannel",
  method: "POST",
  path,
  tag,
  changes: { noun: "alert_channel", action: "create" },
  summary: "Create an alert channel",
  description:
    "What is sent to a webhook is signed as Standard Webhooks asks for. `slack` takes an incoming webhook of Slack's format, `email` sends plain text. An address that has not confirmed for the account is sent a link to confirm, and no alerts before. A channel that is created enabled is told once of crossings that still hold.",
  access: "managementKey",
  workspaceOf: "named",
  callsOut: true,
  body: json(CreateAlertChannel),
  success: { schema: AlertChannelWithSecret },
  errors: [400, 401, 403, 500],
  example: {
    body: {
      type: "webhook",
      name: example.name,
      config: { url: example.config.url },
      events: ["budget.spent_95", "budget.denied"]
    },
    response: { data: example, signing_secret: "whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQtd3Q=" }
  }
})

export const listAlertChannels = operation({
  id: "listAlertChannels",
  method: "GET",
  path,
  tag,
  changes: "nothing",
  summary: "List alert channels of a workspace",
  access: "managementKey",
  workspaceOf: "named",
  query: z.object({ ...page, workspace_id: ofWorkspace }),
  success: { schema: listOf(AlertChannel), long: true },
  errors: [400, 401, 403, 500],
  example: { response: { data: [example], total_count: 1 } }
})

export const getAlertChannel = operation({
  id: "getAlertChannel",
  method: "GET",
  path: `${path}/:id`,
  tag,
  changes: "nothing",
  summary: "Read an alert channel",
  access: "managementKey",
  workspaceOf: "alert_channel",
  params,
  success: { schema: dataOf(AlertChannel), long: "entity" },
  errors: [400, 401, 403, 404, 500],
  example: { params: { id: example.id }, response: { data: example } }
})

export const updateAlertChannel = operation({
  id: "updateAlertChannel",
  method: "PATCH",
  path: `${path}/:id`,
  tag,
  changes: { noun: "alert_channel", action: "update" },
  summary: "Change an alert channel",
  description:
    "Type and workspace do not change. Fields of `config` replace the stored ones; a value that is sent as it is shown, masked, stays. A webhook that moves to another host needs a signing secret. After a change of the secret, the former one also signs for 24 hours.",
  access: "managementKey",
  workspaceOf: "alert_channel",
  params,
  body: optionalJson(UpdateAlertChannel),
  success: { schema: AlertChannelWithSecret, long: "entity" },
  errors: [400, 401, 403, 404, 500],
  example: {
    params: { id: example.id },
    body: { quiet_time_seconds: 86_400 },
    response: {
      data: { ...example, quiet_time_seconds: 86_400, updated_at: "2026-01-06T10:00:00.000Z" },
      signing_secret: null
    }
  }
})

export const deleteAlertChannel = operation({
  id: "deleteAlertChannel",
  method: "DELETE",
  path: `${path}/:id`,
  tag,
  changes: { noun: "alert_channel", action: "delete" },
  summary: "Delete an alert channel with its secrets",
  description: "Alerts that still wait for it are not sent.",
  access: "managementKey",
  workspaceOf: "alert_channel",
  params,
  success: { schema: Deleted },
  errors: [400, 401, 403, 404, 500],
  example: { params: { id: example.id }, response: { deleted: true } }
})

export const testAlertChannel = operation({
  id: "testAlertChannel",
  method: "POST",
  path: `${path}/:id/test`,
  tag,
  changes: "usage",
  summary: "Send a test alert",
  description:
    "Sends an alert of the type `channel.test` at once, once, whatever the channel hears and even if it is disabled, and answers what the receiver said. Addresses that have not confirmed are sent another link instead. At most 10 in a minute per account.",
  access: "managementKey",
  workspaceOf: "alert_channel",
  params,
  success: { schema: dataOf(AlertTestResult) },
  errors: [400, 401, 403, 404, 429, 500],
  callsOut: true,
  rateLimits: ["alertChannelTests"],
  example: {
    params: { id: example.id },
    response: { data: { delivered: true, status: 204, message: null } }
  }
})
