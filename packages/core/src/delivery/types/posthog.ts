/**
 * PostHog: an `$ai_generation` event for each request, `$ai_embedding` for one of embeddings, with a `uuid` by which PostHog recognises a repetition.
 *
 * Every event is a child of its trace: PostHog shows no event below a parent that it never got, and only the caller knows whether its own span
 * arrives. `prompt_tokens` contain what was cached, which PostHog otherwise assumes of some models and not of others.
 *
 * PostHog reads the project's key from the body: it is made to be public, and can only write.
 *
 * Source: https://posthog.com/docs/api/capture (`/batch/`, 20 MB), https://posthog.com/docs/llm-analytics/manual-capture (properties),
 * https://posthog.com/docs/data/ingestion-warnings (1 MB an event), https://github.com/PostHog/posthog/blob/master/rust/capture/src/api.rs
 * (answers), `products/llm_analytics/frontend/llmAnalyticsTraceDataLogic.ts` (`restoreTree`), `nodejs/src/ingestion/ai` (costs, parameters, tools),
 * https://posthog.com/docs/api/flags (the connection test), https://openrouter.ai/docs/guides/features/broadcast/posthog (`trace`)
 */
import { Effect } from "effect"
import { joinBytes } from "../../value/bytes.ts"
import { usdNumber } from "../../value/money.ts"
import { batchRenderer } from "../rendering/batchRenderer.ts"
import { encodeJson, jsonText, judgeStatus, uuidOf } from "../rendering/Renderer.ts"
import { flatAttributes, modelParameters } from "../rendering/genAiAttributes.ts"
import { below } from "../rendering/Span.ts"
import { totalCostNanos } from "../rendering/includedAttributes.ts"
import type { Message, Part } from "../rendering/messages.ts"
import { type RequestSpan, spanName } from "../rendering/RequestSpan.ts"

/** PostHog hands an event on as JSON within JSON, so quotes and backslashes count twice. */
const longestEvent = 1_000_000 - 4096

const utf8 = new TextEncoder()
const decoder = new TextDecoder()

const escapedLength = (encoded: Uint8Array): number => utf8.encode(JSON.stringify(decoder.decode(encoded))).length

/** Source: manual capture, `$ai_trace_id`. */
const isTraceId = (text: string): boolean => /^[A-Za-z0-9\-_~.@()!':|]{1,200}$/.test(text)

/** Values deeper than three levels are cut, as the public API does. */
const shallow = (value: unknown, levels = 3): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (levels === 0) return "[truncated]"
  return Array.isArray(value)
    ? value.map((item) => shallow(item, levels - 1))
    : Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shallow(item, levels - 1)]))
}

const known = (name: string, value: unknown): Readonly<Record<string, unknown>> =>
  value === null || value === undefined ? {} : { [name]: value }

/** Content in the parts that PostHog shows, and finds the calls of tools in. */
const partOf = (part: Part): Part => {
  switch (part.type) {
    case "text":
      return { type: "text", text: part["content"] }
    case "reasoning":
      return { type: "thinking", thinking: part["content"] }
    case "tool_call":
      return { type: "function", id: part["id"], function: { name: part["name"], arguments: part["arguments"] } }
    case "tool_call_response":
      return { type: "tool_result", tool_use_id: part["id"], content: part["response"] }
    default:
      return part
  }
}

const messageOf = ({ role, parts }: Message) => {
  const [only, ...others] = parts
  const isText = only?.type === "text" && others.length === 0
  return { role, content: isText ? only["content"] : parts.map(partOf) }
}

/** What the request asked for. */
const ofRequest = (input: unknown): Readonly<Record<string, unknown>> => {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return {}
  const { tools, stream } = input as Readonly<Record<string, unknown>>
  const streams = typeof stream === "boolean" ? { stream } : {}
  return {
    ...(Array.isArray(tools) && tools.length > 0 ? { $ai_tools: tools } : {}),
    $ai_model_parameters: { ...modelParameters(input), ...streams }
  }
}

const propertiesOf = (request: RequestSpan): Readonly<Record<string, unknown>> => {
  const { delivered, ids, keys, include, leftOut, model } = request
  const { event } = delivered
  const own = leftOut === "metadata" ? [] : keys.metadata
  return {
    ...Object.fromEntries(own.map(([key, value]) => [`metadata_${key}`, shallow(value)])),
    ...known("trace_name", keys.trace_name),
    ...known("span_name", keys.span_name),
    ...known("parent_span_id", ids.parent),
    generation_id: event.id,
    ...Object.fromEntries(Object.entries(flatAttributes(request)).filter(([key]) => key.startsWith("gatewarden."))),
    $ai_trace_id: keys.trace_id !== undefined && isTraceId(keys.trace_id) ? keys.trace_id : ids.trace,
    $ai_span_id: ids.span,
    $ai_span_name: spanName(request),
    ...known("$ai_session_id", event.session_id),
    $ai_model: model,
    $ai_provider: event.provider,
    $ai_input_tokens: event.prompt_tokens,
    $ai_output_tokens: event.completion_tokens,
    $ai_reasoning_tokens: event.reasoning_tokens,
    $ai_cache_read_input_tokens: event.cached_tokens,
    $ai_cache_creation_input_tokens: event.cache_write_tokens,
    $ai_cache_reporting_exclusive: false,
    $ai_latency: request.durationMillis / 1000,
    ...(event.latency_ms === null ? {} : { $ai_time_to_first_token: event.latency_ms / 1000 }),
    ...(include.cost ? { $ai_total_cost_usd: usdNumber(totalCostNanos(delivered)) } : {}),
    $ai_is_error: event.status !== "ok",
    ...(event.status === "ok" ? {} : { $ai_error: event.status }),
    ...known("$ai_stop_reason", event.finish_reason),
    ...(leftOut === "nothing"
      ? {
          ...known("$ai_input", request.input?.map(messageOf)),
          ...(request.operation === "embeddings" ? {} : known("$ai_output_choices", request.output?.map(messageOf))),
          ...ofRequest(delivered.input)
        }
      : {}),
    ...(event.external_user === null ? { $process_person_profile: false } : {}),
    // The address of the gateway is not where the user is.
    $geoip_disable: true,
    $lib: "gatewarden"
  }
}

const comma = utf8.encode(",")

export const posthog = batchRenderer({
  type: "posthog",
  limits: { events: 1000, bytes: 20_000_000 },
  takes: (encoded) => escapedLength(encoded) <= longestEvent,
  encode: (_, request) => {
    const { delivered, ids } = request
    return encodeJson({
      uuid: uuidOf("posthog", delivered.account_id, delivered.event.id),
      event: request.operation === "embeddings" ? "$ai_embedding" : "$ai_generation",
      distinct_id: delivered.event.external_user ?? ids.trace,
      timestamp: new Date(request.start).toISOString(),
      properties: propertiesOf(request)
    })
  },
  join: ({ endpoint, apiKey }, encoded) =>
    Effect.succeed({
      url: below(endpoint, "/batch/"),
      headers: { "content-type": "application/json" },
      body: joinBytes([
        utf8.encode(`{"api_key":${jsonText(apiKey)},"historical_migration":false,"batch":[`),
        ...encoded.flatMap((event, index) => (index === 0 ? [event] : [comma, event])),
        utf8.encode("]}")
      ])
    }),
  // A batch is taken with any key and sorted out later; flags are answered for a key that exists, and record nothing.
  probe: ({ endpoint, apiKey }) =>
    Effect.succeed({
      url: below(endpoint, "/flags/?v=2"),
      headers: { "content-type": "application/json" },
      body: encodeJson({ api_key: apiKey, distinct_id: "gatewarden-connection-test" })
    }),
  judge: (status, body, { events }) => {
    const limited = status === 200 && events.length > 0 ? quotaLimits(body) : []
    if (limited.length > 0) return { kind: "retry", message: "PostHog's quota is used up." }
    if (status === 400 && body.includes("maximum event size exceeded")) return { kind: "too_large" }
    return judgeStatus(status)
  }
})

/** What PostHog drops for lack of quota although it answers 200. */
const quotaLimits = (body: string): readonly string[] => {
  try {
    const limits = (JSON.parse(body) as { readonly quota_limited?: unknown } | null)?.quota_limited
    return Array.isArray(limits) ? limits.filter((name): name is string => typeof name === "string") : []
  } catch {
    return []
  }
}
