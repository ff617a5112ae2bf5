/**
 * Opik: its OTLP endpoint, in Comet's cloud or self-hosted. Attributes that Opik has no rule for would be shown as the input of the model, and
 * other fields of the response as its output, so they are named as metadata.
 *
 * Source: https://www.comet.com/docs/opik/integrations/opentelemetry,
 * https://github.com/comet-ml/opik (`OpenTelemetryResource.java`, `domain/mapping/otel/*.java`)
 */
import { otlpRenderer } from "../rendering/otlpRenderer.ts"
import { type Attribute, below, text, texts } from "../rendering/Span.ts"
import { totalCost } from "../rendering/includedAttributes.ts"
import type { RequestSpan } from "../rendering/RequestSpan.ts"
import { tagsOf } from "../rendering/genAiAttributes.ts"
import { protobufEncoding } from "../rendering/protobufEncoding.ts"

const cloud = "https://www.comet.com/opik/api"

/** The names of Opik's rules, by what they begin with. */
const ruled =
  /^(?:gen_ai\.(?:input|output|usage|request|operation|conversation|system|tool)|gen_ai\.response\.(?:id|model|finish_reasons)$|error\.type$)/

const nameOf = (key: string): string => (ruled.test(key) ? key : `opik.metadata.${key}`)

const tags = (request: RequestSpan): readonly Attribute[] => {
  const own = tagsOf(request)
  return own.length === 0 ? [] : [texts("opik.tags", own)]
}

/** Under names that do not make the span one of a model. */
const bodies = ({ input, output }: RequestSpan): readonly Attribute[] => [
  ...(input === undefined ? [] : [text("input", JSON.stringify(input))]),
  ...(output === undefined ? [] : [text("output", JSON.stringify(output))])
]

export const opik = otlpRenderer({
  type: "opik",
  limits: { events: 500, bytes: 3_500_000 },
  encoding: protobufEncoding,
  address: ({ baseUrl = cloud }) => below(baseUrl, "/v1/private/otel/v1/traces"),
  credentials: ({ apiKey, workspace, projectName }) => ({
    authorization: apiKey,
    "comet-workspace": workspace,
    projectname: projectName
  }),
  nameOf,
  attributes: (request) => [
    ...(request.include.cost ? [totalCost("gen_ai.usage.cost", request.delivered)] : []),
    ...tags(request)
  ],
  addedAttributes: (request) => [...tags(request), ...bodies(request)]
})
