/**
 * LangSmith: its OTLP endpoint. What LangSmith calls a session is the project, so the caller's session is metadata, by which it groups
 * threads.
 *
 * LangSmith drops a span whose parent never arrives. Its own run ids are UUIDs, which no OTLP span id can be: such a parent is named in an
 * attribute.
 *
 * LangSmith reads usage only of a run with outputs, so a run without a body has an empty object there.
 *
 * Source: https://docs.langchain.com/langsmith/trace-with-opentelemetry,
 * https://github.com/langchain-ai/langsmith-collector-proxy (`internal/translator/otel_converter.go`),
 * https://docs.langchain.com/langsmith/cost-tracking (fields of usage)
 */
import { type Attribute, below, known, text } from "../rendering/Span.ts"
import { metadataPrefix, tagsOf } from "../rendering/genAiAttributes.ts"
import { otlpRenderer } from "../rendering/otlpRenderer.ts"
import { protobufEncoding } from "../rendering/protobufEncoding.ts"
import { chatMessages } from "../rendering/messages.ts"
import { totalCostNanos } from "../rendering/includedAttributes.ts"
import type { RequestSpan } from "../rendering/RequestSpan.ts"
import { usdNumber } from "../../value/money.ts"
import type { TraceKeys } from "../rendering/spanIds.ts"

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Of the highest span. */
const parentRun = ({ parent_span_id }: TraceKeys): readonly Attribute[] =>
  parent_span_id !== undefined && uuid.test(parent_span_id)
    ? [text("langsmith.span.parent_id", parent_span_id.toLowerCase())]
    : []

const usage = ({ delivered, include }: RequestSpan): Attribute => {
  const { event } = delivered
  return text(
    "langsmith.usage_metadata",
    JSON.stringify({
      input_tokens: event.prompt_tokens,
      output_tokens: event.completion_tokens,
      total_tokens: event.prompt_tokens + event.completion_tokens,
      input_token_details: { cache_read: event.cached_tokens, cache_creation: event.cache_write_tokens },
      output_token_details: { reasoning: event.reasoning_tokens },
      ...(include.cost ? { total_cost: usdNumber(totalCostNanos(delivered)) } : {})
    })
  )
}

const bodies = ({ input, output }: RequestSpan): readonly Attribute[] => [
  ...(input === undefined ? [] : [text("gen_ai.prompt", JSON.stringify({ messages: chatMessages(input) }))]),
  text("gen_ai.completion", JSON.stringify(output === undefined ? {} : { messages: chatMessages(output) }))
]

/** A list with commas between. */
const tags = (request: RequestSpan): readonly Attribute[] => {
  const own = tagsOf(request)
  return own.length === 0 ? [] : [text("langsmith.span.tags", own.map((tag) => tag.replaceAll(",", " ")).join(","))]
}

/** What LangSmith calls an attribute. Bodies are sent under its own names alone, so that they are not sent twice. */
const nameOf = (key: string): string | undefined => {
  if (key === "gen_ai.input.messages" || key === "gen_ai.output.messages") return undefined
  if (key === "gen_ai.tool.definitions") return "tools"
  return key.startsWith(metadataPrefix) ? `langsmith.metadata.${key.slice(metadataPrefix.length)}` : key
}

export const langsmith = otlpRenderer({
  type: "langsmith",
  limits: { events: 100, bytes: 10_000_000 },
  encoding: protobufEncoding,
  address: ({ endpoint }) => below(endpoint, "/otel/v1/traces"),
  credentials: ({ apiKey, project, workspaceId }) => ({
    "x-api-key": apiKey,
    "langsmith-project": project,
    ...(workspaceId === undefined || workspaceId === "" ? {} : { "x-tenant-id": workspaceId })
  }),
  nameOf,
  attributes: (request) => {
    const {
      delivered: { event },
      keys,
      operation
    } = request
    return [
      text("langsmith.span.kind", operation === "embeddings" ? "embedding" : "llm"),
      usage(request),
      ...bodies(request),
      ...tags(request),
      ...known(text, "langsmith.metadata.session_id", event.session_id),
      ...known(text, "langsmith.metadata.user_id", event.external_user),
      ...(keys.span_name === undefined ? parentRun(keys) : [])
    ]
  },
  addedAttributes: (request) => [
    text("langsmith.span.kind", "chain"),
    ...bodies(request),
    ...tags(request),
    ...parentRun(request.keys)
  ]
})
