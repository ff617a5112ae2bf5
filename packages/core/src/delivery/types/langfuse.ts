/**
 * Langfuse: its OTLP endpoint. Its own attributes name the trace, the session, the environment and the release; metadata below
 * `langfuse.trace.metadata` can be filtered by.
 *
 * Source: https://langfuse.com/integrations/native/opentelemetry (property mapping),
 * https://github.com/langfuse/langfuse (`packages/shared/src/server/otel`, `web/src/pages/api/public/otel/v1/traces`),
 * https://langfuse.com/faq/all/api-limits (5 MB a request)
 */
import { formatUsd } from "../../value/money.ts"
import { formatInstant } from "../../value/calendar.ts"
import { basicAuth } from "../rendering/Renderer.ts"
import { type Attribute, below, known, text, texts } from "../rendering/Span.ts"
import { bodyAttributes, metadataPrefix, tagsOf } from "../rendering/genAiAttributes.ts"
import { totalCostNanos } from "../rendering/includedAttributes.ts"
import { jsonEncoding } from "../rendering/jsonEncoding.ts"
import { otlpRenderer } from "../rendering/otlpRenderer.ts"
import type { RequestSpan } from "../rendering/RequestSpan.ts"

/** Langfuse replaces any other environment by its default. */
const environment = /^(?!langfuse)[a-z0-9_-]{1,40}$/

const metadata = ({ keys }: RequestSpan, name: string): string | undefined => {
  const value = keys.metadata.find(([key]) => key === name)?.[1]
  return typeof value === "string" && value !== "" ? value : undefined
}

const environmentOf = (request: RequestSpan): string | undefined => {
  const named = metadata(request, "environment")
  return named !== undefined && environment.test(named) ? named : undefined
}

const tags = (request: RequestSpan): readonly Attribute[] => {
  const own = tagsOf(request)
  return own.length === 0 ? [] : [texts("langfuse.trace.tags", own)]
}

const ownAttributes = (request: RequestSpan): readonly Attribute[] => {
  const { event } = request.delivered
  return [
    text("langfuse.trace.name", request.keys.trace_name ?? event.model),
    ...known(text, "langfuse.session.id", event.session_id),
    ...known(text, "langfuse.user.id", event.external_user),
    ...known(text, "langfuse.environment", environmentOf(request)),
    ...known(text, "langfuse.release", metadata(request, "release")),
    ...tags(request),
    text("langfuse.observation.type", request.operation === "embeddings" ? "embedding" : "generation"),
    ...(event.status === "ok"
      ? []
      : [text("langfuse.observation.level", "ERROR"), text("langfuse.observation.status_message", event.status)]),
    ...(event.latency_ms === null
      ? []
      : [text("langfuse.observation.completion_start_time", startOfCompletion(request.start, event.latency_ms))]),
    ...(request.include.cost
      ? [text("langfuse.observation.cost_details", `{"total":${formatUsd(totalCostNanos(request.delivered))}}`)]
      : [])
  ]
}

/** The last instant that a date can hold. */
const lastInstant = 8_640_000_000_000_000

/** Langfuse parses the value as JSON. */
const startOfCompletion = (start: number, latency: number): string =>
  JSON.stringify(formatInstant(Math.min(lastInstant, Math.round(start + latency))))

export const langfuse = otlpRenderer({
  type: "langfuse",
  limits: { events: 500, bytes: 4_500_000 },
  encoding: jsonEncoding,
  address: ({ baseUrl }) => below(baseUrl, "/api/public/otel/v1/traces"),
  credentials: ({ publicKey, secretKey }) => ({
    authorization: basicAuth(publicKey, secretKey),
    // Traces are visible at once; without it, after minutes.
    "x-langfuse-ingestion-version": "4"
  }),
  nameOf: (key) => (key.startsWith(metadataPrefix) ? `langfuse.${key}` : key),
  attributes: ownAttributes,
  addedAttributes: (request) => [
    text("langfuse.observation.type", "span"),
    ...tags(request),
    ...bodyAttributes(request)
  ]
})
