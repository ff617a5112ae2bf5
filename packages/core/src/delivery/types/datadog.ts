/**
 * Datadog LLM Observability: one `llm` span for each event, below a `workflow` span where the caller named one.
 *
 * Datadog takes spans of the last 24 hours only. The intake checks the key before the body and answers 202 with an empty one.
 *
 * Source: https://docs.datadoghq.com/llm_observability/instrumentation/api/ (fields),
 * https://docs.datadoghq.com/llm_observability/monitoring/cost/ (`total_cost` in dollars),
 * https://github.com/DataDog/dd-trace-js/blob/master/packages/dd-trace/src/llmobs/constants/writers.js (5 MiB a request, 1 MB an event)
 */
import { Effect } from "effect"
import { joinBytes } from "../../value/joinBytes.ts"
import { usdNumber } from "../../value/money.ts"
import { batchRenderer } from "../batchRenderer.ts"
import { encodeJson } from "../encodeJson.ts"
import { flatAttributes } from "../flatAttributes.ts"
import { judgeStatus } from "../judgeStatus.ts"
import { messageTexts, type TextMessage } from "../messageTexts.ts"
import { below } from "../otlp/below.ts"
import type { RequestSpan } from "../otlp/RequestSpan.ts"
import { spanName } from "../spanName.ts"

const path = "/api/intake/llm-obs/v1/trace/spans"

const longestSpan = 1_048_576 - 1024

/** A tag is cut after 200 characters. Source: https://docs.datadoghq.com/getting_started/tagging/ */
const tag = (name: string, value: string): string => `${name}:${value}`.slice(0, 200)

/** Metadata of Datadog has values of one level. */
const flat = (value: unknown): string | number | boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : JSON.stringify(value)

const io = (field: "input" | "output", messages: readonly TextMessage[] | undefined, leftOut: RequestSpan["leftOut"]) =>
  leftOut !== "nothing"
    ? { [field]: { value: "[left out: the event exceeds the size that Datadog takes]" } }
    : messages === undefined
      ? {}
      : { [field]: { messages } }

const spans = (request: RequestSpan): readonly unknown[] => {
  const { delivered, ids, keys, include, leftOut, model } = request
  const { event } = delivered
  const hadBodies = delivered.input !== undefined || delivered.output !== undefined
  const shared = {
    trace_id: ids.trace,
    start_ns: request.start * 1_000_000,
    duration: Math.round(request.durationMillis * 1_000_000),
    status: event.status === "ok" ? "ok" : "error",
    ...(event.session_id === null ? {} : { session_id: event.session_id }),
    tags: event.external_user === null ? [] : [tag("user_id", event.external_user)]
  }
  const error = event.status === "ok" ? {} : { error: { type: event.status, message: event.status } }
  const above = keys.span_name === undefined ? ids.parent : ids.added
  const called = {
    ...shared,
    span_id: ids.span,
    parent_id: above ?? "undefined",
    name: spanName(request),
    meta: {
      kind: request.operation === "embeddings" ? "embedding" : "llm",
      ...error,
      ...(hadBodies || leftOut === "nothing"
        ? {
            ...io("input", request.input && messageTexts(request.input), leftOut),
            ...io("output", request.output && messageTexts(request.output), leftOut)
          }
        : {}),
      metadata: {
        ...Object.fromEntries(Object.entries(flatAttributes(request)).map(([name, value]) => [name, flat(value)])),
        model_name: model,
        model_provider: event.provider
      }
    },
    metrics: {
      input_tokens: event.prompt_tokens,
      output_tokens: event.completion_tokens,
      total_tokens: event.prompt_tokens + event.completion_tokens,
      cache_read_input_tokens: event.cached_tokens,
      reasoning_output_tokens: event.reasoning_tokens,
      ...(event.latency_ms === null ? {} : { time_to_first_token: event.latency_ms / 1000 }),
      ...(include.cost ? { total_cost: usdNumber(event.cost_nanos) } : {})
    }
  }
  if (keys.span_name === undefined) return [called]
  const workflow = {
    ...shared,
    span_id: ids.added,
    parent_id: ids.parent ?? "undefined",
    name: keys.span_name,
    meta: { kind: "workflow", ...error }
  }
  return [workflow, called]
}

const utf8 = new TextEncoder()
const comma = utf8.encode(",")

export const datadog = batchRenderer({
  type: "datadog",
  limits: { events: 1000, bytes: 5_242_880 },
  takes: (encoded) => encoded.length <= longestSpan,
  encode: (_, request) => encodeJson(spans(request)).slice(1, -1),
  join: ({ url, apiKey, mlApp }, encoded) => {
    const around = encodeJson({
      data: { type: "span", attributes: { ml_app: mlApp, tags: [tag("service", mlApp)], spans: [] } }
    })
    return Effect.succeed({
      url: below(url, path),
      headers: { "content-type": "application/json", "dd-api-key": apiKey },
      body: joinBytes([
        around.subarray(0, -4),
        ...encoded.flatMap((span, index) => (index === 0 ? [span] : [comma, span])),
        around.subarray(-4)
      ])
    })
  },
  // The connection test has no spans, which the intake may refuse once it knows the key.
  judge: (status, _, { events }) =>
    events.length === 0 && (status === 400 || status === 422) ? { kind: "accepted" } : judgeStatus(status)
})
