/**
 * Arize AX: its OTLP endpoint, in the binary encoding, which its own client sends. Spans are described by OpenInference; the
 * project is named in the resource. Bodies are sent under OpenInference's names alone, so that they are not sent twice.
 *
 * Source: https://arize.com/docs/ax/integrations/opentelemetry/opentelemetry-arize-otel,
 * https://github.com/Arize-ai/openinference/blob/main/spec/semantic_conventions.md
 */
import { type Attribute, below, text, texts, whole } from "../rendering/Span.ts"
import { totalCostNanos, usd } from "../rendering/includedAttributes.ts"
import { bodyValue, openInferenceMessages } from "../rendering/openInferenceMessages.ts"
import { otlpRenderer } from "../rendering/otlpRenderer.ts"
import { protobufEncoding } from "../rendering/protobufEncoding.ts"
import { providerName, tagsOf } from "../rendering/genAiAttributes.ts"
import type { RequestSpan } from "../rendering/RequestSpan.ts"

const tags = (request: RequestSpan): readonly Attribute[] => {
  const own = tagsOf(request)
  return own.length === 0 ? [] : [texts("tag.tags", own)]
}

const openInference = (request: RequestSpan): readonly Attribute[] => {
  const { delivered, keys, include, operation, leftOut } = request
  const { event } = delivered
  const metadata = leftOut === "metadata" ? [] : keys.metadata
  return [
    text("openinference.span.kind", operation === "embeddings" ? "EMBEDDING" : "LLM"),
    text(operation === "embeddings" ? "embedding.model_name" : "llm.model_name", event.model),
    text("llm.provider", providerName(event.provider)),
    whole("llm.token_count.prompt", event.prompt_tokens),
    whole("llm.token_count.completion", event.completion_tokens),
    whole("llm.token_count.total", Math.min(event.prompt_tokens + event.completion_tokens, Number.MAX_SAFE_INTEGER)),
    whole("llm.token_count.prompt_details.cache_read", event.cached_tokens),
    whole("llm.token_count.completion_details.reasoning", event.reasoning_tokens),
    ...(include.cost ? [usd("llm.cost.total", totalCostNanos(delivered))] : []),
    ...tags(request),
    ...(metadata.length === 0 ? [] : [text("metadata", JSON.stringify(Object.fromEntries(metadata)))]),
    ...openInferenceMessages("input", request.input),
    ...openInferenceMessages("output", request.output)
  ]
}

export const arize = otlpRenderer({
  type: "arize",
  limits: { events: 500, bytes: 3_500_000 },
  encoding: protobufEncoding,
  address: ({ baseUrl }) => below(baseUrl, "/v1/traces"),
  // The names of arize-otel: the older ones are still read by some deployments.
  credentials: ({ apiKey, spaceKey }) => ({
    authorization: apiKey,
    api_key: apiKey,
    "arize-space-id": spaceKey,
    space_id: spaceKey
  }),
  resource: ({ modelId }) => [text("openinference.project.name", modelId), text("model_id", modelId)],
  nameOf: (key) => (key === "gen_ai.input.messages" || key === "gen_ai.output.messages" ? undefined : key),
  attributes: openInference,
  addedAttributes: (request) => [
    text("openinference.span.kind", "CHAIN"),
    ...tags(request),
    ...bodyValue("input", request.input),
    ...bodyValue("output", request.output)
  ]
})
