/**
 * Braintrust: its OTLP endpoint. It maps the attributes of the conventions by itself; the rest is metadata and metrics of the span. A metric is a
 * number, and `estimated_cost` is shown in place of a cost that Braintrust computes.
 *
 * Source: https://www.braintrust.dev/docs/integrations/sdk-integrations/opentelemetry/attributes,
 * https://github.com/braintrustdata/braintrust-sdk (`integrations/braintrust-otel`, which sends OTLP's JSON),
 * https://github.com/braintrustdata/braintrust-spec (`semconv/span_attributes.yaml`, and the references on tokens and costs),
 * https://www.braintrust.dev/docs/kb/otlp-traces-endpoint-payload-limits (10 MB a request)
 */
import { usdNumber } from "../../value/money.ts"
import { below, text, texts } from "../rendering/Span.ts"
import { bodyAttributes, tagsOf } from "../rendering/genAiAttributes.ts"
import { totalCostNanos } from "../rendering/includedAttributes.ts"
import { jsonEncoding } from "../rendering/jsonEncoding.ts"
import { otlpRenderer } from "../rendering/otlpRenderer.ts"
import type { RequestSpan } from "../rendering/RequestSpan.ts"

const metadataOf = ({ delivered: { event }, keys, model, leftOut }: RequestSpan): string =>
  JSON.stringify({
    ...(leftOut === "metadata" ? {} : Object.fromEntries(keys.metadata)),
    model,
    provider: event.provider,
    ...(event.session_id === null ? {} : { session_id: event.session_id }),
    ...(event.external_user === null ? {} : { user_id: event.external_user })
  })

const metricsOf = ({ delivered, include }: RequestSpan): string => {
  const { event } = delivered
  return JSON.stringify({
    prompt_tokens: event.prompt_tokens,
    completion_tokens: event.completion_tokens,
    tokens: event.prompt_tokens + event.completion_tokens,
    prompt_cached_tokens: event.cached_tokens,
    prompt_cache_creation_tokens: event.cache_write_tokens,
    completion_reasoning_tokens: event.reasoning_tokens,
    ...(event.latency_ms === null ? {} : { time_to_first_token: event.latency_ms / 1000 }),
    ...(include.cost ? { estimated_cost: usdNumber(totalCostNanos(delivered)) } : {})
  })
}

const tagged = (request: RequestSpan) => {
  const tags = tagsOf(request)
  return tags.length === 0 ? [] : [texts("braintrust.tags", tags)]
}

export const braintrust = otlpRenderer({
  type: "braintrust",
  limits: { events: 500, bytes: 8_000_000 },
  encoding: jsonEncoding,
  address: ({ baseUrl }) => below(baseUrl, "/otel/v1/traces"),
  credentials: ({ apiKey, projectId }) => ({
    authorization: `Bearer ${apiKey}`,
    "x-bt-parent": `project_id:${projectId}`
  }),
  attributes: (request) => [
    text("braintrust.span_attributes", '{"type":"llm"}'),
    ...tagged(request),
    text("braintrust.metadata", metadataOf(request)),
    text("braintrust.metrics", metricsOf(request))
  ],
  addedAttributes: (request) => [
    text("braintrust.span_attributes", '{"type":"task"}'),
    ...tagged(request),
    ...bodyAttributes(request)
  ]
})
