import type { UsageEvent } from "../../ports/usage.ts"
import { clockToleranceMillis } from "../../value/calendar.ts"
import type { DeliveredEvent, IncludedMetadata } from "./Renderer.ts"
import type { Message, OutputMessage } from "./messages.ts"
import type { SpanIds, TraceKeys } from "./spanIds.ts"

/** What of a request did not fit into a request to the platform. */
export type LeftOut = "nothing" | "bodies" | "metadata"

/** A request as it is read once, for the attributes of the conventions and of the platforms. */
export interface RequestSpan {
  readonly delivered: DeliveredEvent
  readonly include: IncludedMetadata
  readonly keys: TraceKeys
  readonly ids: SpanIds
  readonly leftOut: LeftOut
  /** As it was asked for, with its variant. */
  readonly model: string
  readonly operation: "chat" | "text_completion" | "embeddings"
  /** Milliseconds since 1970. */
  readonly start: number
  readonly durationMillis: number
  readonly input: readonly Message[] | undefined
  readonly output: readonly OutputMessage[] | undefined
}

export interface EventSpan {
  /** Whole milliseconds since 1970; negative before. */
  readonly start: number
  readonly durationMillis: number
}

/**
 * When a request began and ended.
 *
 * Rule: usage#times. A request begins at `created_at` and ends `latency_ms` and `generation_ms` later. No span lies in the future: if the end is
 * after the event was recorded, the clock of the reporter was ahead. The span then moves back, by at most the clock tolerance, and what
 * is still after the recording is cut off.
 */
export const spanOfEvent = ({
  created_at,
  recorded_at,
  latency_ms,
  generation_ms
}: Pick<UsageEvent, "created_at" | "recorded_at" | "latency_ms" | "generation_ms">): EventSpan => {
  const reported = Date.parse(created_at)
  const recorded = Date.parse(recorded_at)
  const taken = Math.round(((latency_ms ?? 0) + (generation_ms ?? 0)) * 1000) / 1000
  const ahead = Math.min(clockToleranceMillis, Math.max(0, Math.ceil(reported + taken - recorded)))
  const start = Math.min(reported - ahead, recorded)
  return { start, durationMillis: Math.min(taken, recorded - start) }
}

/** The name of the model's span: its own, otherwise that of the trace if it is all there is of it, otherwise the model. */
export const spanName = ({ keys, delivered }: RequestSpan): string =>
  keys.generation_name ??
  (keys.span_name === undefined && keys.parent_span_id === undefined ? keys.trace_name : undefined) ??
  delivered.event.model
