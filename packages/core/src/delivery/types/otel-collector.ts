/**
 * Any backend that takes OTLP over HTTP. The endpoint is the address of traces; one without a path gets OTLP's own.
 *
 * Source: https://opentelemetry.io/docs/specs/otlp/#otlphttp-request,
 * https://github.com/open-telemetry/opentelemetry-collector/blob/main/config/confighttp/README.md (`max_request_body_size`: 20 MiB)
 */
import { jsonEncoding } from "../rendering/jsonEncoding.ts"
import { otlpRenderer } from "../rendering/otlpRenderer.ts"

const hasPath = /^[a-z]+:\/\/[^/?#]+\/[^?#]/i

export const otelCollector = otlpRenderer({
  type: "otel-collector",
  limits: { events: 1000, bytes: 4_000_000 },
  encoding: jsonEncoding,
  address: ({ endpoint }) => (hasPath.test(endpoint) ? endpoint : `${endpoint.replace(/\/+$/, "")}/v1/traces`),
  credentials: () => ({})
})
