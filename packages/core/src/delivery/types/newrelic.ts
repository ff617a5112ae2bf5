/**
 * New Relic: its OTLP endpoint of the region or at another address, in the binary encoding, which it recommends. Values beyond 4,095 characters would be dropped
 * with an error later, so they are cut.
 *
 * Source: https://docs.newrelic.com/docs/opentelemetry/best-practices/opentelemetry-otlp/ (payloads below 10^6 bytes; names of 255, values
 * of 4,095 characters, lists of 64 values)
 */
import { below } from "../rendering/below.ts"
import { otlpRenderer } from "../rendering/otlpRenderer.ts"
import { protobufEncoding } from "../rendering/protobufEncoding.ts"

const hosts = { us: "https://otlp.nr-data.net", eu: "https://otlp.eu01.nr-data.net" }

export const newrelic = otlpRenderer({
  type: "newrelic",
  limits: { events: 1000, bytes: 999_999 },
  encoding: protobufEncoding,
  longestValue: 4095,
  address: ({ region, baseUrl = hosts[region] }) => below(baseUrl, "/v1/traces"),
  credentials: ({ licenseKey }) => ({ "api-key": licenseKey })
})
