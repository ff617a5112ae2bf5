/**
 * Sends one alert to one channel, once. Never fails: what goes wrong is an answer, without secrets and without what the receiver said.
 *
 * Rule: alerts#formats, alerts#signatures, alerts#mail, operating#outgoing-calls.
 */
import type { AlertChannel } from "@gatewarden/contract"
import { Clock, Effect, Redacted } from "effect"
import { isRefusedSender, isTransient, isTransientReply, type MailReply } from "../delivery/judgeStatus.ts"
import { retryAfterSeconds } from "../delivery/retryDelay.ts"
import { OutgoingFetch } from "../platform/OutgoingFetch.ts"
import { openRequest } from "../platform/sendRequest.ts"
import type { AlertMessage } from "./AlertMessage.ts"
import type { ChannelConfig } from "./ChannelConfig.ts"
import { describeAlert } from "./describeAlert.ts"
import { MailTransport } from "./MailTransport.ts"
import { signWebhook } from "./signWebhook.ts"
import { slackBody } from "./slackBody.ts"

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

const utf8 = new TextEncoder()

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
const webhookBody = ({ type, created_at, workspace_id, subject, data }: AlertMessage): string =>
  JSON.stringify({ type, timestamp: created_at, data: { workspace_id, subject, ...data } })

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

const mail = Effect.fnUntraced(function* (to: readonly string[], channel_id: string, message: AlertMessage) {
  const send = yield* MailTransport
  if (send === undefined) return unsent("This server has no mail server to send through.")
  const { title, facts } = describeAlert(message)
  const text = [`${title}.`, "", ...facts.map(([name, value]) => `${name}: ${value}`), ""].join("\n")
  const messageId = `${message.id}.${channel_id}`
  return yield* Effect.tryPromise({
    try: () => send({ to, subject: `[Gatewarden] ${title}`, text, messageId }),
    catch: replyOf
  }).pipe(
    Effect.map((result) => {
      const refused = result?.rejected.length ?? 0
      // Another attempt would reach again those that were accepted.
      return sent(null, refused === 0 ? null : `The mail server refused ${refused} of ${to.length} addresses.`)
    }),
    Effect.timeoutOrElse({
      duration: attemptMillis,
      orElse: () => Effect.succeed(unsent("The mail server did not answer in time."))
    }),
    Effect.catch((reply) => Effect.succeed(unsentMail(reply))),
    Effect.catchCause(() => Effect.succeed(unsentMail(undefined)))
  )
})

export const sendAlert = (
  { id, type }: Pick<AlertChannel, "id" | "type">,
  sealed: Redacted.Redacted<ChannelConfig>,
  message: AlertMessage
): Effect.Effect<SentAlert> => {
  const opened = Redacted.value(sealed)
  if (type === "webhook") return postSigned(opened as ChannelConfig<"webhook">, message)
  if (type === "slack") return post((opened as ChannelConfig<"slack">).config.url, {}, slackBody(message))
  return mail((opened as ChannelConfig<"email">).config.to, id, message)
}
