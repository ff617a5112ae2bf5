/**
 * Grafana Cloud: the OTLP gateway in front of Tempo.
 *
 * Source: https://grafana.com/docs/grafana-cloud/send-data/otlp/send-data-otlp/,
 * https://grafana.com/docs/grafana-cloud/observe-and-act/send-data/traces/troubleshoot/
 */
import { basicAuth } from "../rendering/basicAuth.ts"
import { below } from "../rendering/below.ts"
import { jsonEncoding } from "../rendering/jsonEncoding.ts"
import { otlpRenderer } from "../rendering/otlpRenderer.ts"

export const grafana = otlpRenderer({
  type: "grafana",
  limits: { events: 1000, bytes: 4_000_000 },
  encoding: jsonEncoding,
  address: ({ baseUrl }) => below(baseUrl, "/otlp/v1/traces"),
  credentials: ({ instanceId, apiKey }) => ({ authorization: basicAuth(instanceId, apiKey) })
})
