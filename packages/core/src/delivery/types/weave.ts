/**
 * Weights & Biases Weave: its OTLP endpoint, which takes the binary encoding alone. The project is named in a header and, as newer
 * versions want it, in the resource.
 *
 * Weave makes an object of names with dots, and refuses the whole request if one name is a value and the beginning of another. So names that
 * callers choose are members of one JSON object, which Weave shows as the call's attributes.
 *
 * Source: https://docs.wandb.ai/weave/guides/tracking/otel, https://github.com/wandb/weave (`weave/trace_server/opentelemetry`)
 */
import { basicAuth } from "../rendering/Renderer.ts"
import { type Attribute, below, flag, known, text } from "../rendering/Span.ts"
import { otlpRenderer } from "../rendering/otlpRenderer.ts"
import { protobufEncoding } from "../rendering/protobufEncoding.ts"
import { bodyAttributes, metadataPrefix, tagsOf } from "../rendering/genAiAttributes.ts"
import { classifiersBesideTrace } from "../rendering/includedAttributes.ts"
import type { RequestSpan } from "../rendering/RequestSpan.ts"

const chosen = new RegExp(`^(?:${metadataPrefix.replaceAll(".", "\\.")}|gatewarden\\.classifier\\.)`)

const attributesOf = (request: RequestSpan): readonly Attribute[] => {
  const { delivered, include, keys, leftOut } = request
  if (leftOut === "metadata") return []
  const tags = tagsOf(request)
  const classifiers = classifiersBesideTrace(delivered.event)
  const own = {
    ...Object.fromEntries(keys.metadata),
    ...(tags.length === 0 ? {} : { tags }),
    ...(include.request_context && classifiers.length > 0 ? { classifiers: Object.fromEntries(classifiers) } : {})
  }
  return Object.keys(own).length === 0 ? [] : [text("wandb.attributes", JSON.stringify(own))]
}

/** The highest span of a request is a turn of its session. */
const threadOf = ({ delivered: { event } }: RequestSpan, isHighest: boolean): readonly Attribute[] => [
  ...known(text, "wandb.thread_id", event.session_id),
  ...(isHighest && event.session_id !== null ? [flag("wandb.is_turn", true)] : [])
]

export const weave = otlpRenderer({
  type: "weave",
  limits: { events: 500, bytes: 3_500_000 },
  encoding: protobufEncoding,
  address: ({ baseUrl }) => below(baseUrl, "/otel/v1/traces"),
  credentials: ({ apiKey, entity, project }) => ({
    authorization: basicAuth("api", apiKey),
    "wandb-api-key": apiKey,
    project_id: `${entity}/${project}`
  }),
  resource: ({ entity, project }) => [text("wandb.entity", entity), text("wandb.project", project)],
  nameOf: (key) => (chosen.test(key) ? undefined : key),
  attributes: (request) => {
    const { delivered, keys } = request
    return [
      text("weave.span.kind", "llm"),
      text("wandb.display_name", keys.generation_name ?? keys.trace_name ?? delivered.event.model),
      ...threadOf(request, keys.span_name === undefined),
      ...attributesOf(request)
    ]
  },
  addedAttributes: (request) => [...threadOf(request, true), ...attributesOf(request), ...bodyAttributes(request)]
})
