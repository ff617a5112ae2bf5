/**
 * Weights & Biases Weave: its OTLP endpoint, which takes the binary encoding alone. The project is named in a header and, as newer
 * versions want it, in the resource.
 *
 * Source: https://docs.wandb.ai/weave/guides/tracking/otel, https://github.com/wandb/weave (`weave/trace_server/opentelemetry`)
 */
import { basicAuth } from "../otlp/basicAuth.ts"
import { below } from "../otlp/below.ts"
import { otlpRenderer } from "../otlp/otlpRenderer.ts"
import { protobufEncoding } from "../otlp/protobufEncoding.ts"
import { flag, known, text } from "../otlp/Span.ts"

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
  attributes: ({ delivered: { event }, keys }) => [
    text("weave.span.kind", "llm"),
    text("wandb.display_name", keys.generation_name ?? keys.trace_name ?? event.model),
    ...known(text, "wandb.thread_id", event.session_id),
    ...(event.session_id === null ? [] : [flag("wandb.is_turn", true)])
  ]
})
