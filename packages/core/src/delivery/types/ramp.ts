/**
 * Ramp's AI usage intake. It takes OTLP, and spends by what `gen_ai.usage.cost` says: a destination that does not include costs has none there.
 *
 * Ramp publishes no reference of the intake; what is known is in the guide. The address is taken as it is configured.
 *
 * Source: https://openrouter.ai/docs/guides/features/broadcast/ramp
 */
import { jsonEncoding } from "../rendering/jsonEncoding.ts"
import { otlpRenderer } from "../rendering/otlpRenderer.ts"

export const ramp = otlpRenderer({
  type: "ramp",
  // Not published: the usual batch of OpenTelemetry's exporters, and the smallest size that intakes of OTLP take by default.
  limits: { events: 512, bytes: 4_000_000 },
  encoding: jsonEncoding,
  address: ({ baseUrl }) => baseUrl,
  credentials: ({ apiKey }) => ({ authorization: `Bearer ${apiKey}` })
})
