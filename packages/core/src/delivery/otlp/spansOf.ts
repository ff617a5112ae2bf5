import { Effect } from "effect"
import type { UsageEvent } from "../../usage/UsageEvent.ts"
import { wellFormed } from "../../value/wellFormed.ts"
import type { DeliveredEvent, IncludedMetadata } from "../Renderer.ts"
import { inputMessages, outputMessages } from "./messages.ts"
import type { LeftOut, RequestSpan } from "./RequestSpan.ts"
import type { Attribute, Span } from "./Span.ts"
import { type SpanIds, spanIdsOf } from "./spanIds.ts"
import { type TraceKeys, traceKeysOf } from "./traceKeys.ts"

/** 2^63 − 1: decoders read the unsigned time as a signed one. */
const lastNano = 9_223_372_036_854_775_807n
const nanosPerMilli = 1_000_000

const operationOf = ({ input, event }: DeliveredEvent): RequestSpan["operation"] => {
  if (event.output_modalities?.includes("embeddings") === true) return "embeddings"
  const isCompletion = typeof input === "object" && input !== null && "prompt" in input && !("messages" in input)
  return isCompletion ? "text_completion" : "chat"
}

/** The whole completion takes at least as long as its first token. */
const durationOf = ({ latency_ms, generation_ms }: UsageEvent): number => Math.max(latency_ms ?? 0, generation_ms ?? 0)

const requestSpan = (
  delivered: DeliveredEvent,
  keys: TraceKeys,
  ids: SpanIds,
  include: IncludedMetadata,
  leftOut: LeftOut
): RequestSpan => {
  const { event } = delivered
  const withBodies = leftOut === "nothing"
  return {
    delivered,
    include,
    keys,
    leftOut,
    ids,
    model: event.variant === "" ? event.model : `${event.model}:${event.variant}`,
    operation: operationOf(delivered),
    start: Math.max(0, Date.parse(event.created_at)),
    durationMillis: durationOf(event),
    input: withBodies ? inputMessages(delivered.input) : undefined,
    output: withBodies ? outputMessages(delivered.output, event.finish_reason) : undefined
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
  const called = spanOf(ids.trace, ids.span, parent, wellFormed(name), 3, start, end, attributes, status)
  if (nameAbove === undefined) return [called]
  const above = spanOf(ids.trace, ids.added, ids.parent, wellFormed(nameAbove), 1, start, end, added(), status)
  return [above, called]
}

const ok = { code: 0 } as const

/** Of one shape each, which makes the fields quick to find. */
const spanOf = (
  traceId: string,
  spanId: string,
  parentSpanId: string | undefined,
  name: string,
  kind: Span["kind"],
  startTimeUnixNano: string,
  endTimeUnixNano: string,
  attributes: readonly Attribute[],
  status: Span["status"]
): Span =>
  parentSpanId === undefined
    ? { traceId, spanId, name, kind, startTimeUnixNano, endTimeUnixNano, attributes, status }
    : { traceId, spanId, parentSpanId, name, kind, startTimeUnixNano, endTimeUnixNano, attributes, status }
