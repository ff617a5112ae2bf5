/**
 * Opik: its OTLP endpoint in Comet's cloud. Attributes that Opik has no rule for would be shown as the input of the model, so they are named
 * as metadata; a cost that is no whole number is no usage to it.
 *
 * Source: https://www.comet.com/docs/opik/integrations/opentelemetry,
 * https://github.com/comet-ml/opik (`OpenTelemetryResource.java`, `domain/mapping/otel/*.java`)
 */
import { otlpRenderer } from "../otlp/otlpRenderer.ts"
import { protobufEncoding } from "../otlp/protobufEncoding.ts"

/** The names of Opik's rules, by what they begin with. */
const ruled = /^(?:gen_ai\.(?:input|output|usage|request|response|operation|conversation|system|tool)|error\.type$)/

const nameOf = (key: string): string =>
  key === "gen_ai.usage.cost" ? "gen_ai.cost.total" : ruled.test(key) ? key : `opik.metadata.${key}`

export const opik = otlpRenderer({
  type: "opik",
  limits: { events: 500, bytes: 3_500_000 },
  encoding: protobufEncoding,
  address: () => "https://www.comet.com/opik/api/v1/private/otel/v1/traces",
  credentials: ({ apiKey, workspace, projectName }) => ({
    authorization: apiKey,
    "comet-workspace": workspace,
    projectname: projectName
  }),
  nameOf
})
