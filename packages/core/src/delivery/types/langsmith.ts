/**
 * LangSmith: its OTLP endpoint. What LangSmith calls a session is the project, so the caller's session is metadata, by which it groups
 * threads.
 *
 * LangSmith drops a span whose parent never arrives. Its own run ids are UUIDs, which no OTLP span id can be: such a parent is named in an
 * attribute.
 *
 * Source: https://docs.langchain.com/langsmith/trace-with-opentelemetry
 */
import { below } from "../otlp/below.ts"
import { metadataPrefix } from "../otlp/genAiAttributes.ts"
import { otlpRenderer } from "../otlp/otlpRenderer.ts"
import { protobufEncoding } from "../otlp/protobufEncoding.ts"
import { type Attribute, known, text } from "../otlp/Span.ts"
import type { TraceKeys } from "../otlp/traceKeys.ts"

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Of the highest span. */
const parentRun = ({ parent_span_id }: TraceKeys): readonly Attribute[] =>
  parent_span_id !== undefined && uuid.test(parent_span_id)
    ? [text("langsmith.span.parent_id", parent_span_id.toLowerCase())]
    : []

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
  nameOf: (key) => (key.startsWith(metadataPrefix) ? `langsmith.metadata.${key.slice(metadataPrefix.length)}` : key),
  attributes: ({ delivered: { event }, keys, operation }) => [
    text("langsmith.span.kind", operation === "embeddings" ? "embedding" : "llm"),
    ...known(text, "langsmith.metadata.session_id", event.session_id),
    ...known(text, "langsmith.metadata.user_id", event.external_user),
    ...(keys.span_name === undefined ? parentRun(keys) : [])
  ],
  addedAttributes: ({ keys }) => [text("langsmith.span.kind", "chain"), ...parentRun(keys)]
})
