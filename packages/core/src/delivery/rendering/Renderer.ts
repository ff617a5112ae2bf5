/**
 * Renders recorded usage into the requests that a platform accepts: one pure file for each destination type.
 *
 * Rule: observability#delivery.
 */
import type { Destination } from "@gatewarden/contract"
import type { Effect, Redacted } from "effect"
import { v5 as nameBasedUuid } from "uuid"
import type { UsageEvent } from "../../ports/usage.ts"
import { withoutTrailingSlashes } from "../../value/text.ts"

/** The real config of a type, with its secrets. */
export type ConfigOf<Type extends Destination["type"]> = Extract<Destination, { type: Type }>["config"]

/** What one destination receives of one request. Selection, privacy and sampling happened before. */
export interface DeliveredEvent {
  readonly account_id: string
  readonly event: UsageEvent
  readonly api_key_name: string | null
  /** The bodies, without multimodal content; `undefined` where the report had none or the destination receives none. */
  readonly input: unknown
  readonly output: unknown
}

/** Which groups of metadata the destination includes (`broadcast_generation_*`). */
export interface IncludedMetadata {
  readonly cost: boolean
  readonly identity: boolean
  readonly request_context: boolean
}

/** One HTTP request to the platform. */
export interface RenderedRequest {
  readonly method: "POST" | "PUT"
  readonly url: string
  /** Holds credentials. Names are in lower case. Custom `headers` of the config are merged in by the sender. */
  readonly headers: Redacted.Redacted<Readonly<Record<string, string>>>
  readonly body: Uint8Array
  /** The ids of the events that the request carries: they are delivered when the platform accepts it. */
  readonly events: readonly string[]
  /** How many spans these are, where the platform counts spans. */
  readonly spans?: number
}

/**
 * What the answer of a platform says about the events of a request. A message is in words of Gatewarden: platforms repeat what they cannot
 * read, prompts included, so their text is never part of it.
 */
export type DeliveryVerdict =
  /** `rejected`: parts that the platform left out without naming them. */
  | { readonly kind: "accepted"; readonly rejected?: number; readonly message?: string }
  /** The platform took the others: these ids are refused for good. */
  | { readonly kind: "partly"; readonly refused: readonly string[]; readonly message: string }
  /** Sending the same again would be refused again. */
  | { readonly kind: "refused"; readonly message: string }
  /** The request is too large for the platform: smaller ones may pass. */
  | { readonly kind: "too_large" }
  | { readonly kind: "retry"; readonly message: string }

/** `body` is the answer as text, `answer` its bytes, both cut off at a bound. */
export type Judge = (status: number, body: string, request: RenderedRequest, answer: Uint8Array) => DeliveryVerdict

export interface Renderer<Type extends Destination["type"]> {
  readonly type: Type
  /** What one request may hold by the platform's published limits. */
  readonly limits: { readonly events: number; readonly bytes: number }
  /** Requests in the order in which they are sent; none carries more than the limits. */
  readonly render: (
    config: ConfigOf<Type>,
    events: readonly DeliveredEvent[],
    include: IncludedMetadata,
    now: number
  ) => Effect.Effect<readonly RenderedRequest[]>
  /** Why the platform would drop an event without a word, as a code and a sentence. Such an event becomes a dead letter and is not sent. */
  readonly refusal?: ((delivered: Pick<DeliveredEvent, "event">, now: number) => string | undefined) | undefined
  /** The request that tests the connection: it writes nothing that a user would take for a real event. */
  readonly probe: (config: ConfigOf<Type>, now: number) => Effect.Effect<RenderedRequest>
  /** Judges an answer whose status alone does not tell. Default: 2xx accepted, 413 too large, 408, 425, 429, 401, 403, 404 and 5xx retry, other 4xx refused. */
  readonly judge?: Judge
}

/** The same request may succeed without anybody's help. */
const healing = new Set([408, 425, 429])

/** Somebody has to renew a credential or bring an address back. */
const mendable = new Set([401, 403, 404])

/** Time alone may heal it. An alert is repeated only then: it is about now, and its owner sees that it failed. */
export const isTransient = (status: number): boolean => status >= 500 || status < 400 || healing.has(status)

/**
 * What an answer means by its status alone: of a platform that receives usage, and of a receiver of alerts, which may be a mail server.
 *
 * Usage waits for what somebody can mend, too: it is complete once it is accepted, however late.
 */
export const judgeStatus = (status: number): DeliveryVerdict => {
  if (status >= 200 && status < 300) return { kind: "accepted" }
  if (status === 413) return { kind: "too_large" }
  const message = `The platform answered ${status}.`
  return isTransient(status) || mendable.has(status) ? { kind: "retry", message } : { kind: "refused", message }
}

/** A reply of a mail server to one of its commands. */
export interface MailReply {
  readonly code: number
  /** Unknown for mail that a host sends otherwise than with nodemailer. */
  readonly command: string | undefined
}

/** Credentials are missing or wrong, or must be encrypted (RFC 4954 6): of this server, whatever the command. */
const credentialReplies = new Set([530, 534, 535, 538])

/** Commands that name a recipient or bring the message. Any other is about this server: its address, its credentials, its sender. */
const messageCommands: ReadonlySet<string | undefined> = new Set(["RCPT TO", "DATA", undefined])

/** Too many recipients, or a mailbox that is full (RFC 5321 4.5.3.1.10). */
const mailboxFull = 552

/** A refusal of this server, which its operator can mend; it says nothing of the message. */
export const isRefusedSender = ({ code, command }: MailReply): boolean =>
  code >= 500 && (credentialReplies.has(code) || !messageCommands.has(command))

/** 4yz is transient and 5yz permanent (RFC 5321 4.2.1). What an operator can mend is waited for, because no owner of a channel can. */
export const isTransientReply = (reply: MailReply): boolean =>
  reply.code < 500 || reply.code === mailboxFull || isRefusedSender(reply)

/** The address of a `host` in a config. A host without a scheme is one of HTTPS. */
export const addressOfHost = (host: string): string =>
  withoutTrailingSlashes(/^https?:\/\//i.test(host) ? host : `https://${host}`)

const utf8 = new TextEncoder()

/**
 * JSON as bytes. `JSON.stringify` writes half a surrogate pair as an escape, for which ClickHouse, Snowflake and others refuse the whole
 * request: it becomes U+FFFD. An escaped backslash is passed over, so that text which only looks like an escape stays.
 */
export const jsonText = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "null"
  return text.includes("\\ud")
    ? text.replace(/\\\\|\\ud[89a-f][0-9a-f]{2}/g, (found) => (found === "\\\\" ? found : "\ufffd"))
    : text
}

export const encodeJson = (value: unknown): Uint8Array => utf8.encode(jsonText(value))

/** Never change this namespace: platforms recognise events by these ids. */
const deliveryNamespace = "6e2b7c0a-9a1f-5f0e-8a53-4d0b1f6c9e27"

/** A UUID that depends on these texts alone: the same event or batch has it again whenever it is sent. Source: RFC 9562 5.5. */
export const uuidOf = (...texts: readonly string[]): string => nameBasedUuid(JSON.stringify(texts), deliveryNamespace)

/**
 * A value that can be a header: control characters, which would begin another header, are dropped; characters beyond Latin-1, which `fetch`
 * refuses, become the bytes of their UTF-8.
 */
export const headerText = (value: string): string => {
  // eslint-disable-next-line no-control-regex
  const clean = value.replace(/[\u0000-\u001f\u007f]/g, "").trim()
  return /[^\u0000-\u00ff]/.test(clean) ? String.fromCharCode(...utf8.encode(clean)) : clean
}

/** HTTP Basic credentials. Source: RFC 7617. */
export const basicAuth = (user: string, password: string): string =>
  `Basic ${btoa(String.fromCharCode(...utf8.encode(`${user}:${password}`)))}`
