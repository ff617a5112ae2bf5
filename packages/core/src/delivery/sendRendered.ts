/**
 * Sends one rendered request and judges the answer. Never fails: what goes wrong is a verdict.
 *
 * Rule: observability#delivery. Redirects are not followed; time, and what is read of the answer, are bounded.
 */
import type { Destination } from "@gatewarden/contract"
import { Clock, Effect, Redacted } from "effect"
import { openRequest } from "../platform/sendRequest.ts"
import { joinBytes } from "../value/joinBytes.ts"
import { OutgoingFetch } from "../platform/OutgoingFetch.ts"
import { judgeStatus } from "./rendering/judgeStatus.ts"
import type { DeliveryVerdict, RenderedRequest, Renderer } from "./rendering/Renderer.ts"
import { retryAfterSeconds } from "./retryDelay.ts"
import { secretsOf, withoutSecrets } from "./withoutSecrets.ts"

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
  readonly text: string
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
  const secrets = secretsOf(type, Redacted.value(config), headers)
  if (answered?.answer === undefined)
    return {
      status: answered?.status ?? null,
      verdict: noAnswer,
      message: noAnswer.message,
      text: "",
      retryAfter: undefined
    } satisfies SentAnswer
  const { status, received, answer } = answered
  const text = new TextDecoder().decode(answer)
  const verdict = judge?.(status, text, request, answer) ?? judgeStatus(status)
  return {
    status,
    verdict,
    message: messageOf(verdict),
    text: withoutSecrets(text, secrets),
    retryAfter: retryAfterSeconds(received.get("retry-after"), now)
  } satisfies SentAnswer
})
