/**
 * Sends alerts to one channel, once: several as one mail, and one to other channels. Never fails: what goes wrong is an answer, without secrets and without what the receiver said.
 *
 * Rule: alerts#formats, alerts#signatures, alerts#mail, alerts#recipients, alerts#mail-quotas, operating#outgoing-calls.
 */
import type { AlertChannel } from "@gatewarden/contract"
import { Clock, Effect, Redacted } from "effect"
import { type MailReply, isRefusedSender, isTransient, isTransientReply } from "../delivery/rendering/Renderer.ts"
import { retryAfterSeconds } from "../delivery/sendRendered.ts"
import { Digest, hmac } from "../platform/Digest.ts"
import { OutgoingFetch } from "../platform/OutgoingFetch.ts"
import { openRequest } from "../platform/sendRequest.ts"
import type { MailRecipients } from "../ports/alerts.ts"
import type { RequestCounts } from "../ports/limits.ts"
import { compareText } from "../value/text.ts"
import type { ChannelConfig } from "./config.ts"
import { mailMillis, mailboxOf, unconfirmedOf } from "./confirmRecipients.ts"
import { type AlertMessage, describeAlert } from "./describeAlert.ts"
import { MailTransport, consumeMail, mailBody } from "./mail.ts"

export interface SignedWebhook {
  readonly id: string
  /** Epoch milliseconds. */
  readonly at: number
  readonly body: string
}

const utf8 = new TextEncoder()

/** The bytes of `whsec_` and base64, which the contract has checked. */
const bytesOf = (secret: string): Uint8Array =>
  Uint8Array.from(atob(secret.slice("whsec_".length)), (character) => character.charCodeAt(0))

/**
 * The headers of a request after Standard Webhooks: HMAC-SHA-256 of id, time and body.
 *
 * Rule: alerts#signatures. Source: Standard Webhooks 1.0. After a secret was replaced there are two signatures, of which a receiver accepts
 * any.
 */
export const signWebhook = Effect.fnUntraced(function* (
  { id, at, body }: SignedWebhook,
  secrets: readonly Redacted.Redacted<string>[]
) {
  const timestamp = String(Math.floor(at / 1_000))
  const signed = utf8.encode(`${id}.${timestamp}.${body}`)
  const signatures = yield* Effect.forEach(secrets, (secret) =>
    Effect.map(
      hmac(bytesOf(Redacted.value(secret)), signed),
      (signature) => `v1,${btoa(String.fromCharCode(...signature))}`
    )
  )
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") }
})

const mostFields = 10
const fieldLength = 2_000

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** What could be read as markup within a text: a zero-width space ends it. */
const plain = (text: string): string => escaped(text).replace(/[*_~`]/g, "$&\u200b")

/** Cut before a character reference, never within one. */
const within = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/&[a-z]{0,3}$/, "")}…`

/**
 * An alert as the JSON of an incoming webhook of Slack.
 *
 * Rule: alerts#formats. Source: docs.slack.dev, "Formatting message text": `&`, `<` and `>` are escaped, so no name becomes a mention or
 * a link. A section has at most 10 fields of 2,000 characters, its text at most 3,000.
 */
export const slackBody = (message: AlertMessage): string => {
  const { title, facts } = describeAlert(message)
  return JSON.stringify({
    text: plain(title),
    blocks: [
      { type: "section", text: { type: "mrkdwn", text: `*${plain(title)}*` } },
      {
        type: "section",
        fields: facts.slice(0, mostFields).map(([name, value]) => ({
          type: "mrkdwn",
          text: within(`*${name}*\n${plain(value)}`, fieldLength)
        }))
      }
    ]
  })
}

/** An attempt ends after this. */
export const attemptMillis = 10_000

export interface SentAlert {
  readonly delivered: boolean
  /** `null` without an answer. */
  readonly status: number | null
  /** Why it was not delivered, or not to all recipients. */
  readonly message: string | null
  readonly retryAfter: number | undefined
  /** Another attempt would end alike. */
  readonly isFinal: boolean
}

const sent = (status: number | null, message: string | null = null): SentAlert => ({
  delivered: true,
  status,
  message,
  retryAfter: undefined,
  isFinal: true
})

const unsent = (
  message: string,
  status: number | null = null,
  isFinal: boolean = false,
  retryAfter?: number
): SentAlert => ({ delivered: false, status, message, retryAfter, isFinal })

const post = Effect.fnUntraced(function* (url: string, headers: Readonly<Record<string, string>>, text: string) {
  const now = yield* Clock.currentTimeMillis
  const body = utf8.encode(text)
  return yield* openRequest(yield* OutgoingFetch, {
    url,
    method: "POST",
    headers: {
      ...headers,
      "content-type": "application/json",
      "content-length": String(body.length),
      "user-agent": "gatewarden"
    },
    body,
    timeoutMillis: attemptMillis,
    wholeTimeoutMillis: attemptMillis,
    maxBytes: Number.MAX_SAFE_INTEGER
  }).pipe(
    Effect.tap(({ body }) => Effect.promise(() => body.cancel().catch(() => undefined))),
    Effect.map(({ status, headers: received }): SentAlert =>
      status >= 200 && status < 300
        ? sent(status)
        : unsent(
            `The receiver answered ${status}.`,
            status,
            !isTransient(status),
            retryAfterSeconds(received.get("retry-after"), now)
          )
    ),
    // A URL that no request can have fails before it is sent.
    Effect.catchCause(() =>
      Effect.succeed(unsent("The receiver did not answer in time, or this server must not call its address."))
    )
  )
})

/** What is signed and sent to a webhook. */
const webhookBody = ({ type, created_at, workspace_id, workspace_name, subject, data }: AlertMessage): string =>
  JSON.stringify({ type, timestamp: created_at, data: { workspace_id, workspace_name, subject, ...data } })

const postSigned = Effect.fnUntraced(function* ({ config, former }: ChannelConfig<"webhook">, message: AlertMessage) {
  const at = yield* Clock.currentTimeMillis
  const secrets = [config.signing_secret, ...(former !== undefined && at < former.until ? [former.secret] : [])]
  const body = webhookBody(message)
  const signed = yield* signWebhook(
    { id: message.id, at, body },
    secrets.map((secret) => Redacted.make(secret))
  )
  return yield* post(config.url, signed, body)
})

/** The reply that a rejection of a transport has. */
const replyOf = (cause: unknown): MailReply | undefined => {
  const { responseCode: code, command } = Object(cause) as {
    readonly responseCode?: unknown
    readonly command?: unknown
  }
  if (typeof code !== "number" || !Number.isInteger(code) || code < 400 || code > 599) return undefined
  return { code, command: typeof command === "string" ? command : undefined }
}

const unsentMail = (reply: MailReply | undefined): SentAlert => {
  if (reply === undefined) return unsent("The mail server did not accept the message.")
  const refused = isRefusedSender(reply) ? "refused this server with" : "answered"
  return unsent(`The mail server ${refused} ${reply.code}.`, reply.code, !isTransientReply(reply))
}

/** "1 of 2 addresses has not confirmed." */
const ofAddresses = (count: number, to: readonly string[], have: string, did: string): readonly string[] =>
  count === 0 ? [] : [`${count} of ${to.length} addresses ${count === 1 ? have.replace("have", "has") : have} ${did}.`]

/** Those that an alert may go to now, what keeps it from the others, and the seconds until one of these may get mail. */
const reachable = Effect.fnUntraced(function* (account_id: string, to: readonly string[], kind: "alert" | "test") {
  const unconfirmed = new Set((yield* unconfirmedOf(account_id, to)).map(({ address }) => address))
  const confirmed = to.filter((address) => !unconfirmed.has(address))
  // In one order, as links are.
  const waits = yield* Effect.forEach([...confirmed].sort(compareText), (address) =>
    Effect.map(consumeMail(account_id, mailboxOf(address), kind), (wait) => [address, wait] as const)
  )
  const full = new Map(waits.flatMap(([address, wait]) => (wait === undefined ? [] : [[address, wait] as const])))
  return {
    reached: confirmed.filter((address) => !full.has(address)),
    notes: [
      ...(confirmed.length === 0
        ? ["No address of the channel has confirmed yet."]
        : ofAddresses(unconfirmed.size, to, "have", "not confirmed")),
      ...ofAddresses(full.size, to, "have", "received the most mail of an hour")
    ],
    wait: full.size === 0 ? undefined : Math.min(...full.values())
  }
})

const mail = Effect.fnUntraced(function* (
  account_id: string,
  to: readonly string[],
  channel_id: string,
  messages: readonly AlertMessage[]
) {
  const send = yield* MailTransport
  if (send === undefined) return unsent("This server has no mail server to send through.")
  const { reached, notes, wait } = yield* reachable(
    account_id,
    to,
    messages.some(({ type }) => type === "channel.test") ? "test" : "alert"
  )
  if (reached.length === 0) return unsent(notes.join(" "), null, false, wait)
  const ids = messages.map(({ id }) => id).sort()
  const id = ids.length === 1 ? ids[0] : (yield* (yield* Digest).sha256Hex(ids.join())).slice(0, 32)
  return yield* Effect.tryPromise({
    try: (signal) => send({ to: reached, ...mailBody(messages), messageId: `${id}.${channel_id}` }, signal),
    catch: replyOf
  }).pipe(
    Effect.map((result) => {
      const refused = result?.rejected.length ?? 0
      const said = [
        ...(refused === 0 ? [] : [`The mail server refused ${refused} of ${reached.length} addresses.`]),
        ...notes
      ]
      // Another attempt would reach again those that were accepted.
      return sent(null, said.length === 0 ? null : said.join(" "))
    }),
    Effect.timeoutOrElse({
      duration: mailMillis,
      orElse: () => Effect.succeed(unsent("The mail server did not answer in time."))
    }),
    Effect.catch((reply) => Effect.succeed(unsentMail(reply))),
    Effect.catchCause(() => Effect.succeed(unsentMail(undefined)))
  )
})

export const sendAlert = (
  account_id: string,
  { id, type }: Pick<AlertChannel, "id" | "type">,
  sealed: Redacted.Redacted<ChannelConfig>,
  messages: readonly [AlertMessage, ...AlertMessage[]]
): Effect.Effect<SentAlert, never, MailRecipients | RequestCounts> => {
  const opened = Redacted.value(sealed)
  if (type === "webhook") return postSigned(opened as ChannelConfig<"webhook">, messages[0])
  if (type === "slack") return post((opened as ChannelConfig<"slack">).config.url, {}, slackBody(messages[0]))
  return mail(account_id, (opened as ChannelConfig<"email">).config.to, id, messages)
}
