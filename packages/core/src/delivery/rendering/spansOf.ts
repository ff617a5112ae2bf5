import { Effect } from "effect"
import type { UsageEvent } from "../../ports/usage.ts"
import { wellFormed } from "../../value/text.ts"
import type { DeliveredEvent, IncludedMetadata } from "./Renderer.ts"
import { type LeftOut, type RequestSpan, spanOfEvent } from "./RequestSpan.ts"
import { type Attribute, type Span, type SpanEvent, text } from "./Span.ts"
import { inputMessages, outputMessages } from "./messages.ts"
import { type SpanIds, type TraceKeys, spanIdsOf, traceKeysOf } from "./spanIds.ts"

/** 2^63 − 1: decoders read the unsigned time as a signed one. */
const lastNano = 9_223_372_036_854_775_807n
const nanosPerMilli = 1_000_000

const operationOf = ({ input, event }: DeliveredEvent): RequestSpan["operation"] => {
  if (event.output_modalities?.includes("embeddings") === true) return "embeddings"
  const isCompletion = typeof input === "object" && input !== null && "prompt" in input && !("messages" in input)
  return isCompletion ? "text_completion" : "chat"
}

const finishReason = ({ finish_reason, status }: UsageEvent): string =>
  finish_reason ?? (status === "ok" ? "unknown" : "error")

const requestSpan = (
  delivered: DeliveredEvent,
  keys: TraceKeys,
  ids: SpanIds,
  include: IncludedMetadata,
  leftOut: LeftOut
): RequestSpan => {
  const { event } = delivered
  const withBodies = leftOut === "nothing"
  const { start, durationMillis } = spanOfEvent(event)
  return {
    delivered,
    include,
    keys,
    leftOut,
    ids,
    model: event.variant === "" ? event.model : `${event.model}:${event.variant}`,
    operation: operationOf(delivered),
    start: Math.max(0, start),
    durationMillis,
    input: withBodies ? inputMessages(delivered.input) : undefined,
    output: withBodies ? outputMessages(delivered.output, finishReason(event)) : undefined
  }
}

/** The request with what may be left out of it; its ids are made once. */
export const requestSpanOf = (
  delivered: DeliveredEvent,
  include: IncludedMetadata
): Effect.Effect<(leftOut: LeftOut) => RequestSpan> => {
  const keys = traceKeysOf(delivered.event)
  return Effect.map(
    spanIdsOf(delivered, keys),
    (ids) => (leftOut) => requestSpan(delivered, keys, ids, include, leftOut)
  )
}

/** Up to here an instant ends below `lastNano`, and its sum with a duration is exact. */
const lastPlainMilli = 9_223_372_036_853

/** Begin and end in nanoseconds since 1970. */
const instantsOf = ({ start, durationMillis }: RequestSpan): { readonly start: string; readonly end: string } => {
  const nanos = Math.round(durationMillis * nanosPerMilli)
  const endMilli = start + Math.floor(nanos / nanosPerMilli)
  if (Number.isSafeInteger(nanos) && endMilli <= lastPlainMilli)
    return { start: ofNanos(start, 0), end: ofNanos(endMilli, nanos % nanosPerMilli) }
  const begin = earliest(lastNano, BigInt(start) * BigInt(nanosPerMilli))
  return { start: String(begin), end: String(earliest(lastNano, begin + BigInt(nanos))) }
}

/** Without the arithmetic of big integers, which takes longer than all other fields of a span. */
const ofNanos = (millis: number, nanos: number): string =>
  millis === 0 ? String(nanos) : `${millis}${nanos === 0 ? "000000" : String(nanos).padStart(6, "0")}`

const earliest = (a: bigint, b: bigint): bigint => (b < a ? b : a)

const failures = {
  error: "The request failed.",
  rate_limited: "A rate limit refused the request.",
  cancelled: "The client cancelled the request.",
  blocked: "A guardrail blocked the request."
} as const

/**
 * A failure as an `exception` event: some platforms read errors from nothing else.
 *
 * Source: https://opentelemetry.io/docs/specs/semconv/exceptions/exceptions-spans/
 */
const exceptionOf = (status: keyof typeof failures, at: string): SpanEvent => ({
  timeUnixNano: at,
  name: "exception",
  attributes: [text("exception.type", status), text("exception.message", failures[status])]
})

/**
 * The spans of a request: the model's, and above it one with the name that the caller gave (`span_name`). A root span without a name of its
 * own has the trace's name.
 */
export const spansOf = (
  request: RequestSpan,
  attributes: readonly Attribute[],
  added: () => readonly Attribute[]
): readonly Span[] => {
  const { ids, keys, delivered } = request
  const { event } = delivered
  const { start, end } = instantsOf(request)
  const nameAbove = keys.span_name
  const parent = nameAbove === undefined ? ids.parent : ids.added
  const status = event.status === "ok" ? ok : ({ code: 2, message: event.status } as const)
  const name = keys.generation_name ?? (parent === undefined ? keys.trace_name : undefined) ?? event.model
  const events = event.status === "ok" ? undefined : [exceptionOf(event.status, end)]
  const called = spanOf(ids.trace, ids.span, parent, wellFormed(name), 3, start, end, attributes, status, events)
  if (nameAbove === undefined) return [called]
  const above = spanOf(ids.trace, ids.added, ids.parent, wellFormed(nameAbove), 1, start, end, added(), status, events)
  return [above, called]
}

const ok = { code: 0 } as const

/** Of few shapes, which makes the fields quick to find. */
const spanOf = (
  traceId: string,
  spanId: string,
  parentSpanId: string | undefined,
  name: string,
  kind: Span["kind"],
  startTimeUnixNano: string,
  endTimeUnixNano: string,
  attributes: readonly Attribute[],
  status: Span["status"],
  events: readonly SpanEvent[] | undefined
): Span => {
  const span: Span =
    parentSpanId === undefined
      ? { traceId, spanId, name, kind, startTimeUnixNano, endTimeUnixNano, attributes, status }
      : { traceId, spanId, parentSpanId, name, kind, startTimeUnixNano, endTimeUnixNano, attributes, status }
  return events === undefined ? span : { ...span, events }
}
