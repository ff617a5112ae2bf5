import { withoutTrailingSlashes } from "../../value/text.ts"
import { basicAuth } from "../rendering/Renderer.ts"
import { below } from "../rendering/Span.ts"
import { jsonEncoding } from "../rendering/jsonEncoding.ts"
import { otlpRenderer } from "../rendering/otlpRenderer.ts"
import { protobufEncoding } from "../rendering/protobufEncoding.ts"

/**
 * Grafana Cloud: the OTLP gateway in front of Tempo.
 *
 * Source: https://grafana.com/docs/grafana-cloud/send-data/otlp/send-data-otlp/,
 * https://grafana.com/docs/grafana-cloud/observe-and-act/send-data/traces/troubleshoot/
 */
export const grafana = otlpRenderer({
  type: "grafana",
  limits: { events: 1000, bytes: 4_000_000 },
  encoding: jsonEncoding,
  address: ({ baseUrl }) => below(baseUrl, "/otlp/v1/traces"),
  credentials: ({ instanceId, apiKey }) => ({ authorization: basicAuth(instanceId, apiKey) })
})

const hosts = { us: "https://otlp.nr-data.net", eu: "https://otlp.eu01.nr-data.net" }

/**
 * New Relic: its OTLP endpoint of the region or at another address, in the binary encoding, which it recommends. Values beyond 4,095 characters would be dropped
 * with an error later, so they are cut.
 *
 * Source: https://docs.newrelic.com/docs/opentelemetry/best-practices/opentelemetry-otlp/ (payloads below 10^6 bytes; names of 255, values
 * of 4,095 characters, lists of 64 values)
 */
export const newrelic = otlpRenderer({
  type: "newrelic",
  limits: { events: 1000, bytes: 999_999 },
  encoding: protobufEncoding,
  longestValue: 4095,
  address: ({ region, baseUrl = hosts[region] }) => below(baseUrl, "/v1/traces"),
  credentials: ({ licenseKey }) => ({ "api-key": licenseKey })
})

const hasPath = /^[a-z]+:\/\/[^/?#]+\/[^?#]/i

/**
 * Any backend that takes OTLP over HTTP. The endpoint is the address of traces; one without a path gets OTLP's own.
 *
 * Source: https://opentelemetry.io/docs/specs/otlp/#otlphttp-request,
 * https://github.com/open-telemetry/opentelemetry-collector/blob/main/config/confighttp/README.md (`max_request_body_size`: 20 MiB)
 */
export const otelCollector = otlpRenderer({
  type: "otel-collector",
  limits: { events: 1000, bytes: 4_000_000 },
  encoding: jsonEncoding,
  address: ({ endpoint }) => (hasPath.test(endpoint) ? endpoint : `${withoutTrailingSlashes(endpoint)}/v1/traces`),
  credentials: () => ({})
})

/**
 * Ramp's AI usage intake. It takes OTLP, and spends by what `gen_ai.usage.cost` says: a destination that does not include costs has none there.
 *
 * Ramp publishes no reference of the intake; what is known is in the guide. The address is taken as it is configured.
 *
 * Source: https://openrouter.ai/docs/guides/features/broadcast/ramp
 */
export const ramp = otlpRenderer({
  type: "ramp",
  // Not published: the usual batch of OpenTelemetry's exporters, and the smallest size that intakes of OTLP take by default.
  limits: { events: 512, bytes: 4_000_000 },
  encoding: jsonEncoding,
  address: ({ baseUrl }) => baseUrl,
  credentials: ({ apiKey }) => ({ authorization: `Bearer ${apiKey}` })
})
