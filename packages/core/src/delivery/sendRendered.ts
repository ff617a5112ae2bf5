/**
 * Sends one rendered request and judges the answer. Never fails: what goes wrong is a verdict.
 *
 * Rule: observability#delivery. Redirects are not followed; time, and what is read of the answer, are bounded.
 */
import type { Destination } from "@gatewarden/contract"
import { Clock, Effect, Redacted } from "effect"
import { maskConfig } from "../destination/config.ts"
import { OutgoingFetch } from "../platform/OutgoingFetch.ts"
import { openRequest } from "../platform/sendRequest.ts"
import { joinBytes } from "../value/bytes.ts"
import { base64url, wellFormed } from "../value/text.ts"
import { type DeliveryVerdict, type RenderedRequest, type Renderer, judgeStatus } from "./rendering/Renderer.ts"

/**
 * When a failed destination is tried again. Rule: observability#retries.
 *
 * Failures in a row that open the circuit breaker.
 */
export const failuresUntilOpen = 3

const longestBackOffSeconds = 900
const longestRetryAfterSeconds = 3_600

/** Seconds that a `Retry-After` asks for, given as seconds or as a date; `undefined` where it is neither. */
export const retryAfterSeconds = (header: string | null, now: number): number | undefined => {
  if (header === null) return undefined
  if (/^\d{1,10}$/.test(header.trim())) return Math.min(Number(header), longestRetryAfterSeconds)
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.min(Math.max(0, (at - now) / 1_000), longestRetryAfterSeconds)
}

/** `failures`: in a row, this one included. `jitter`: from 0 to 1, so that destinations that failed together do not come back together. */
export const retryDelaySeconds = (failures: number, retryAfter: number | undefined, jitter: number): number =>
  Math.max(Math.min(2 ** Math.min(failures, 20), longestBackOffSeconds) * (0.75 + jitter / 2), retryAfter ?? 0)

export const maxMessageLength = 500

/** Shorter texts are no secrets, and would be found everywhere. */
const shortestSecret = 6

const publicHeaders: ReadonlySet<string> = new Set(["accept", "content-encoding", "content-length", "content-type"])

/** Looking for a secret takes time for each of its characters and of the message. Beside longer secrets no message is shown. */
const maxSecretCharacters = 32_768

/**
 * The texts of a config that are not shown as they are, and what of a URL is masked. A longer URL is not taken apart, because each part is
 * searched in all of it. Beside such a URL no message is shown.
 */
const secretsOfConfig = (type: Destination["type"], config: Destination["config"]): readonly string[] => {
  const secrets: string[] = []
  const compare = (value: unknown, shown: unknown): void => {
    if (typeof value === "string" && value !== shown) {
      secrets.push(value)
      if (value.length <= maxSecretCharacters && /^https?:/i.test(value))
        secrets.push(...value.split(/[/@?&=:#]+/).filter((part) => !String(shown).includes(part)))
    } else if (typeof value === "object" && value !== null)
      for (const [name, held] of Object.entries(value))
        compare(held, (shown as Readonly<Record<string, unknown>>)?.[name])
  }
  compare(config, maskConfig(type, config))
  return secrets
}

const secretsOfHeaders = (headers: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(headers).flatMap(([name, value]) => (publicHeaders.has(name) ? [] : [value, ...value.split(/[ =,]+/)]))

/** A secret as a platform may repeat it: as it is, in JSON, in JSON that escapes `/` and all but ASCII, in a URL, in a form, in base64. */
const spellingsOf = (secret: string): readonly string[] => {
  const inJson = JSON.stringify(secret).slice(1, -1)
  const inAscii = inJson.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
  const inBase64 = base64url(new TextEncoder().encode(secret))
  return [
    ...new Set([
      secret,
      ...[inJson, inAscii].flatMap((json) => [json, json.replaceAll("/", "\\/")]),
      encodeURIComponent(wellFormed(secret)),
      new URLSearchParams([["", secret]]).toString().slice(1),
      inBase64,
      inBase64.replaceAll("-", "+").replaceAll("_", "/")
    ])
  ]
}

/** What must not be in a message about a request, each text once. */
export const secretsOf = (
  type: Destination["type"],
  config: Destination["config"],
  headers: Readonly<Record<string, string>> = {}
): readonly string[] => {
  const secrets = new Set([...secretsOfConfig(type, config), ...secretsOfHeaders(headers)])
  return [...new Set([...secrets].filter(({ length }) => length >= shortestSecret).flatMap(spellingsOf))]
}

const maxSearchedCharacters = 8_192

/**
 * Messages of platforms: bounded, and without what the request or the config holds as a secret.
 *
 * All are found in the message as it came, so a secret that is part of another, or of `[secret]`, adds nothing. Removed before the message is
 * cut, so that no half of a secret is left.
 */
export const withoutSecrets = (message: string, secrets: readonly string[]): string => {
  if (secrets.reduce((sum, { length }) => sum + length, 0) > maxSecretCharacters) return ""
  const text = message.slice(0, maxSearchedCharacters)
  const hidden = new Uint8Array(text.length)
  for (const secret of secrets) {
    for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + secret.length))
      hidden.fill(1, at, at + secret.length)
    // Of one that begins here, the end is not searched.
    if (text.length < message.length) hidden.fill(1, Math.max(0, text.length - secret.length))
  }
  let clean = ""
  for (let at = 0; at < text.length; at++)
    if (hidden[at] === 0) clean += text[at]
    else if (hidden[at - 1] !== 1) clean += "[secret]"
  return (
    clean
      // Control characters, which PostgreSQL and terminals take amiss, and halves of surrogate pairs.
      .replace(/\p{Cc}+/gu, " ")
      .slice(0, maxMessageLength)
      .replace(/\p{Cs}/gu, "\ufffd")
      .trim()
  )
}

export const answerMillis = 10_000
/** For a destination whose circuit breaker is open. */
export const probedAnswerMillis = 5_000

/** What is read of an answer. */
const maxAnswerBytes = 65_536

export interface SentRequest {
  readonly type: Destination["type"]
  /** With its secrets. */
  readonly config: Redacted.Redacted<Destination["config"]>
  readonly request: RenderedRequest
  readonly judge: Renderer<Destination["type"]>["judge"] | undefined
  readonly timeoutMillis: number
  /** The destination, for deliveries: they may arrive twice, and follow each other. */
  readonly connectionsOf?: string
}

export interface SentAnswer {
  /** `null` without an answer. */
  readonly status: number | null
  readonly verdict: DeliveryVerdict
  /** What became of it, in words of Gatewarden; empty if the platform accepted all of it. This is what is stored. */
  readonly message: string
  /** What the platform said: bounded, without the destination's secrets. It may repeat the request, so it is never stored. */
  readonly text: () => string
  readonly retryAfter: number | undefined
}

const headerName = /^[!#$%&'*+.^_`|~0-9a-z-]+$/
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/
/** The sender determines these. */
const ownHeaders: ReadonlySet<string> = new Set(["connection", "content-length", "host", "transfer-encoding"])

/** The rendered headers, with those of the config, which win. A header that no request can carry is left out. */
const mergedHeaders = (
  rendered: Readonly<Record<string, string>>,
  config: Destination["config"]
): Readonly<Record<string, string>> => {
  const custom = "headers" in config && config.headers !== undefined ? Object.entries(config.headers) : []
  const named = custom.map(([name, value]) => [name.toLowerCase(), value] as const)
  return Object.fromEntries(
    [...Object.entries(rendered), ...named].filter(
      ([name, value]) => headerName.test(name) && headerValue.test(value) && !ownHeaders.has(name)
    )
  )
}

/** At most so much of the answer; the rest is not waited for. */
const readSome = async (body: ReadableStream<Uint8Array>): Promise<Uint8Array> => {
  const reader = body.getReader()
  const pieces: Uint8Array[] = []
  let size = 0
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    pieces.push(read.value)
    size += read.value.length
    if (size < maxAnswerBytes) continue
    await reader.cancel()
    break
  }
  return joinBytes(pieces).subarray(0, maxAnswerBytes)
}

const noAnswer = { kind: "retry", message: "The platform did not answer completely in time." } as const

const messageOf = (verdict: DeliveryVerdict): string =>
  verdict.kind === "too_large" ? "The platform answered that the request is too large." : (verdict.message ?? "")

export const sendRendered = Effect.fnUntraced(function* (sent: SentRequest) {
  const { type, config, request, judge, timeoutMillis, connectionsOf } = sent
  const fetch = yield* OutgoingFetch
  const now = yield* Clock.currentTimeMillis
  const headers = mergedHeaders(Redacted.value(request.headers), Redacted.value(config))
  const answered = yield* openRequest(fetch, {
    url: request.url,
    method: request.method,
    headers: { ...headers, "content-length": String(request.body.length) },
    body: request.body,
    timeoutMillis,
    wholeTimeoutMillis: timeoutMillis,
    // Reading ends before; this is only what the transport may hold.
    maxBytes: Number.MAX_SAFE_INTEGER,
    ...(connectionsOf === undefined ? {} : { connectionsOf })
  }).pipe(
    Effect.flatMap(({ status, headers: received, body }) =>
      Effect.map(
        Effect.promise(() => readSome(body).catch(() => undefined)),
        (answer) => ({ status, received, answer })
      )
    ),
    // A URL that no request can have fails before it is sent.
    Effect.catchCause(() => Effect.succeed(undefined))
  )
  if (answered?.answer === undefined)
    return {
      status: answered?.status ?? null,
      verdict: noAnswer,
      message: noAnswer.message,
      text: () => "",
      retryAfter: undefined
    } satisfies SentAnswer
  const { status, received, answer } = answered
  const text = new TextDecoder().decode(answer)
  const verdict = judge?.(status, text, request, answer) ?? judgeStatus(status)
  return {
    status,
    verdict,
    message: messageOf(verdict),
    text: () => withoutSecrets(text, secretsOf(type, Redacted.value(config), headers)),
    retryAfter: retryAfterSeconds(received.get("retry-after"), now)
  } satisfies SentAnswer
})
