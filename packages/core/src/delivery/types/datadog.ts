/**
 * Datadog LLM Observability: one `llm` span for each event, below a `workflow` span where the caller named one.
 *
 * Datadog takes spans of the last 24 hours only. The intake checks the key before the body and answers 202 with an empty one.
 *
 * Source: https://docs.datadoghq.com/llm_observability/instrumentation/api/ (fields),
 * https://docs.datadoghq.com/llm_observability/monitoring/cost/ (`total_cost` in dollars),
 * https://github.com/DataDog/dd-trace-js/blob/master/packages/dd-trace/src/llmobs/constants/writers.js (5 MiB a request and an event)
 */
import { Effect } from "effect"
import { joinBytes } from "../../value/bytes.ts"
import { type RequestSpan, spanName, spanOfEvent } from "../rendering/RequestSpan.ts"
import { usdNumber } from "../../value/money.ts"
import { batchRenderer } from "../rendering/batchRenderer.ts"
import { encodeJson, judgeStatus } from "../rendering/Renderer.ts"
import { flatAttributes, modelParameters, tagsOf } from "../rendering/genAiAttributes.ts"
import { messageTexts, type TextMessage } from "../rendering/messages.ts"
import { below } from "../rendering/Span.ts"
import { totalCostNanos } from "../rendering/includedAttributes.ts"
import { dayMillis } from "../../value/calendar.ts"

const path = "/api/intake/llm-obs/v1/trace/spans"

/** 5 MiB an event, and a request. */
const mostBytes = 5_242_880

const longestAgeMillis = dayMillis

/** A tag is cut after 200 characters. Source: https://docs.datadoghq.com/getting_started/tagging/ */
const tag = (name: string, text: string): string => `${name}:${text}`.slice(0, 200)

const known = (name: string, text: string | null): readonly string[] => (text === null ? [] : [tag(name, text)])

/** A tag without a name of its own has one. */
const named = (text: string): string => (/^[a-z_][^:]*:/i.test(text) ? text.slice(0, 200) : tag("tag", text))

/** Metadata of Datadog has values of one level. */
const flat = (value: unknown): string | number | boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : JSON.stringify(value)

/** What goes into a span that calls no model, and comes out of it, is one text. */
const value = (field: "input" | "output", messages: readonly TextMessage[] | undefined) =>
  messages === undefined ? {} : { [field]: { value: messages.map(({ content }) => content).join("\n") } }

const documents = (messages: readonly TextMessage[] | undefined) =>
  messages === undefined ? {} : { input: { documents: messages.map(({ content }) => ({ text: content })) } }

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
    tags: [...known("user_id", event.external_user), ...tagsOf(request).map(named)]
  }
  const error = event.status === "ok" ? {} : { error: { type: event.status, message: event.status } }
  const isEmbedding = request.operation === "embeddings"
  const [input, output] = [request.input && messageTexts(request.input), request.output && messageTexts(request.output)]
  const above = keys.span_name === undefined ? ids.parent : ids.added
  const called = {
    ...shared,
    span_id: ids.span,
    parent_id: above ?? "undefined",
    name: spanName(request),
    meta: {
      kind: isEmbedding ? "embedding" : "llm",
      ...error,
      ...(hadBodies || leftOut === "nothing"
        ? {
            ...(isEmbedding && leftOut === "nothing" ? documents(input) : io("input", input, leftOut)),
            ...(isEmbedding && leftOut === "nothing" ? value("output", output) : io("output", output, leftOut))
          }
        : {}),
      metadata: {
        ...Object.fromEntries(
          [
            ...Object.entries(flatAttributes(request)),
            ...(leftOut === "nothing" ? Object.entries(modelParameters(delivered.input)) : [])
          ].map(([name, given]) => [name, flat(given)])
        ),
        model_name: model,
        model_provider: event.provider.toLowerCase()
      }
    },
    metrics: {
      input_tokens: event.prompt_tokens,
      output_tokens: event.completion_tokens,
      total_tokens: event.prompt_tokens + event.completion_tokens,
      cache_read_input_tokens: event.cached_tokens,
      cache_write_input_tokens: event.cache_write_tokens,
      reasoning_output_tokens: event.reasoning_tokens,
      ...(event.latency_ms === null ? {} : { time_to_first_token: event.latency_ms / 1000 }),
      ...(include.cost ? { total_cost: usdNumber(totalCostNanos(delivered)) } : {})
    }
  }
  if (keys.span_name === undefined) return [called]
  const workflow = {
    ...shared,
    span_id: ids.added,
    parent_id: ids.parent ?? "undefined",
    name: keys.span_name,
    meta: { kind: "workflow", ...error, ...value("input", input), ...value("output", output) }
  }
  return [workflow, called]
}

const utf8 = new TextEncoder()
const comma = utf8.encode(",")

export const datadog = batchRenderer({
  type: "datadog",
  limits: { events: 1000, bytes: mostBytes },
  refusal: ({ event }, now) =>
    spanOfEvent(event).start < now - longestAgeMillis ? "too_old: Datadog drops spans older than 24 hours." : undefined,
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
