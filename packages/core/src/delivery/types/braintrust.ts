/**
 * Braintrust: its OTLP endpoint. It maps the attributes of the conventions by itself; the rest is metadata and metrics of the span.
 *
 * Source: https://www.braintrust.dev/docs/integrations/sdk-integrations/opentelemetry/attributes,
 * https://github.com/braintrustdata/braintrust-sdk (`integrations/braintrust-otel`, which sends OTLP's JSON),
 * https://www.braintrust.dev/docs/kb/otlp-traces-endpoint-payload-limits (10 MB a request)
 */
import { usdAsJson } from "../../value/money.ts"
import { below } from "../otlp/below.ts"
import { jsonEncoding } from "../otlp/jsonEncoding.ts"
import { otlpRenderer } from "../otlp/otlpRenderer.ts"
import type { RequestSpan } from "../otlp/RequestSpan.ts"
import { text } from "../otlp/Span.ts"

const metadataOf = ({ delivered: { event }, keys, model, leftOut }: RequestSpan): string =>
  JSON.stringify({
    ...(leftOut === "metadata" ? {} : Object.fromEntries(keys.metadata)),
    model,
    provider: event.provider,
    ...(event.session_id === null ? {} : { session_id: event.session_id }),
    ...(event.external_user === null ? {} : { user_id: event.external_user })
  })

const metricsOf = ({ delivered: { event }, include }: RequestSpan): string =>
  JSON.stringify({
    prompt_tokens: event.prompt_tokens,
    completion_tokens: event.completion_tokens,
    prompt_cached_tokens: event.cached_tokens,
    completion_reasoning_tokens: event.reasoning_tokens,
    ...(event.latency_ms === null ? {} : { time_to_first_token: event.latency_ms / 1000 }),
    ...(include.cost ? { estimated_cost: usdAsJson(event.cost_nanos) } : {})
  })

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
    text("braintrust.metadata", metadataOf(request)),
    text("braintrust.metrics", metricsOf(request))
  ],
  addedAttributes: () => [text("braintrust.span_attributes", '{"type":"task"}')]
})
