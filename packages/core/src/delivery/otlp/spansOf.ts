import { Effect } from "effect"
import type { UsageEvent } from "../../usage/UsageEvent.ts"
import type { DeliveredEvent, IncludedMetadata } from "../Renderer.ts"
import { inputMessages, outputMessages } from "./messages.ts"
import type { LeftOut, RequestSpan } from "./RequestSpan.ts"
import { type Attribute, type Span, wellFormed } from "./Span.ts"
import { spanIdsOf } from "./spanIds.ts"
import { traceKeysOf } from "./traceKeys.ts"

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

export const requestSpanOf = Effect.fnUntraced(function* (
  delivered: DeliveredEvent,
  include: IncludedMetadata,
  leftOut: LeftOut
) {
  const { event } = delivered
  const keys = traceKeysOf(event)
  const withBodies = leftOut === "nothing"
  return {
    delivered,
    include,
    keys,
    leftOut,
    ids: yield* spanIdsOf(delivered, keys),
    model: event.variant === "" ? event.model : `${event.model}:${event.variant}`,
    operation: operationOf(delivered),
    start: Math.max(0, Date.parse(event.created_at)),
    durationMillis: durationOf(event),
    input: withBodies ? inputMessages(delivered.input) : undefined,
    output: withBodies ? outputMessages(delivered.output, event.finish_reason) : undefined
  } satisfies RequestSpan
})

const earliest = (...instants: readonly bigint[]): bigint => instants.reduce((a, b) => (b < a ? b : a))

/**
 * The spans of a request: the model's, and above it one with the name that the caller gave (`span_name`). A root span without a name of its
 * own has the trace's name.
 */
export const spansOf = (
  request: RequestSpan,
  attributes: readonly Attribute[],
  added: readonly Attribute[]
): readonly Span[] => {
  const { ids, keys, delivered } = request
  const { event } = delivered
  const start = earliest(lastNano, BigInt(request.start) * BigInt(nanosPerMilli))
  const end = earliest(lastNano, start + BigInt(Math.round(request.durationMillis * nanosPerMilli)))
  const nameAbove = keys.span_name
  const parent = nameAbove === undefined ? ids.parent : ids.added
  const shared = {
    traceId: ids.trace,
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(end),
    status: event.status === "ok" ? ({ code: 0 } as const) : ({ code: 2, message: event.status } as const)
  }
  const name = keys.generation_name ?? (parent === undefined ? keys.trace_name : undefined) ?? event.model
  const called: Span = {
    ...shared,
    spanId: ids.span,
    ...(parent === undefined ? {} : { parentSpanId: parent }),
    name: wellFormed(name),
    kind: 3,
    attributes
  }
  if (nameAbove === undefined) return [called]
  const above: Span = {
    ...shared,
    spanId: ids.added,
    ...(ids.parent === undefined ? {} : { parentSpanId: ids.parent }),
    name: wellFormed(nameAbove),
    kind: 1,
    attributes: added
  }
  return [above, called]
}
