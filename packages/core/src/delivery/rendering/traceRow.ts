/**
 * An event as a row of the table that analytical databases receive: typed columns for what queries filter by, JSON for the rest.
 *
 * Rule: observability#tables-of-traces. Source: https://openrouter.ai/docs/guides/features/broadcast/snowflake (names of columns)
 */
import { formatUsd } from "../../value/money.ts"
import { type RequestSpan, spanName } from "./RequestSpan.ts"
import { flatAttributes, modelParameters } from "./genAiAttributes.ts"
import { totalCostNanos } from "./includedAttributes.ts"

/** How a database reads a column. */
export type ColumnKind = "text" | "instant" | "integer" | "milliseconds" | "usd" | "json"

export const traceColumns = {
  TRACE_ID: "text",
  SPAN_ID: "text",
  PARENT_SPAN_ID: "text",
  GENERATION_ID: "text",
  TIMESTAMP: "instant",
  NAME: "text",
  SPAN_TYPE: "text",
  STATUS: "text",
  LEVEL: "text",
  FINISH_REASON: "text",
  USER_ID: "text",
  SESSION_ID: "text",
  API_KEY_NAME: "text",
  MODEL: "text",
  PROVIDER_NAME: "text",
  PROMPT_TOKENS: "integer",
  COMPLETION_TOKENS: "integer",
  TOTAL_TOKENS: "integer",
  REASONING_TOKENS: "integer",
  CACHED_TOKENS: "integer",
  TOTAL_COST: "usd",
  DURATION_MS: "milliseconds",
  TIME_TO_FIRST_TOKEN_MS: "milliseconds",
  ATTRIBUTES: "json",
  INPUT: "json",
  OUTPUT: "json",
  METADATA: "json",
  MODEL_PARAMETERS: "json"
} as const satisfies Readonly<Record<string, ColumnKind>>

export type TraceColumn = keyof typeof traceColumns

/** JSON columns have values, not texts; amounts are exact decimals as texts. */
export type TraceRow = Readonly<Record<TraceColumn, unknown>>

/** A list of messages is what the queries of the guides look for under `messages`. */
const body = (value: unknown): unknown =>
  value === undefined ? null : Array.isArray(value) ? { messages: value } : value

/** The caller's own id of a trace is the one to look for; a longer one is not a name. */
export const traceName = ({ keys, ids }: RequestSpan): string =>
  keys.trace_id === undefined || keys.trace_id.length > 256 ? ids.trace : keys.trace_id

export const traceRow = (request: RequestSpan): TraceRow => {
  const { delivered, ids, include, leftOut, model } = request
  const { event } = delivered
  const isOk = event.status === "ok"
  const [input, output] = leftOut === "nothing" ? [delivered.input, delivered.output] : [undefined, undefined]
  return {
    TRACE_ID: traceName(request),
    SPAN_ID: ids.span,
    PARENT_SPAN_ID: ids.parent ?? null,
    GENERATION_ID: event.id,
    TIMESTAMP: event.created_at,
    NAME: spanName(request),
    SPAN_TYPE: "GENERATION",
    STATUS: isOk ? "ok" : "error",
    LEVEL: isOk ? "DEFAULT" : "ERROR",
    FINISH_REASON: event.finish_reason,
    USER_ID: event.external_user,
    SESSION_ID: event.session_id,
    API_KEY_NAME: include.identity ? delivered.api_key_name : null,
    MODEL: model,
    PROVIDER_NAME: event.provider,
    PROMPT_TOKENS: event.prompt_tokens,
    COMPLETION_TOKENS: event.completion_tokens,
    TOTAL_TOKENS: event.prompt_tokens + event.completion_tokens,
    REASONING_TOKENS: event.reasoning_tokens,
    CACHED_TOKENS: event.cached_tokens,
    TOTAL_COST: include.cost ? formatUsd(totalCostNanos(delivered)) : null,
    DURATION_MS: request.durationMillis,
    TIME_TO_FIRST_TOKEN_MS: event.latency_ms,
    ATTRIBUTES: flatAttributes(request),
    INPUT: body(input),
    OUTPUT: body(output),
    METADATA: leftOut === "metadata" ? null : event.trace,
    MODEL_PARAMETERS: input === undefined ? null : modelParameters(input)
  }
}
