/**
 * Sentry: Relay's OTLP endpoint, with the public key of the DSN. It answers 202.
 *
 * Sentry keeps a cost that it is given as a number, and otherwise estimates one from its own list of prices.
 *
 * Source: https://docs.sentry.io/concepts/otlp/direct/, https://docs.sentry.io/product/insights/ai/agents/costs/,
 * https://github.com/getsentry/relay (`relay-server/src/endpoints/integrations/otlp.rs`, `relay-spans/src/otel_to_sentry_v2.rs`,
 * `relay-event-normalization/src/eap/ai.rs`)
 */
import { below, whole } from "../rendering/Span.ts"
import { totalCost } from "../rendering/includedAttributes.ts"
import { jsonEncoding } from "../rendering/jsonEncoding.ts"
import { otlpRenderer } from "../rendering/otlpRenderer.ts"

/** `https://<public key>[:<secret key>]@<host>/<project>` */
const publicKey = (dsn: string): string => /^[a-z]+:\/\/([^:@/]+)/i.exec(dsn)?.[1] ?? ""

export const sentry = otlpRenderer({
  type: "sentry",
  limits: { events: 500, bytes: 1_000_000 },
  encoding: jsonEncoding,
  address: ({ otlpEndpoint }) => below(otlpEndpoint, "/v1/traces"),
  attributes: ({ delivered, include }) => [
    whole("gen_ai.usage.input_tokens.cached", delivered.event.cached_tokens),
    whole("gen_ai.usage.input_tokens.cache_write", delivered.event.cache_write_tokens),
    whole("gen_ai.usage.output_tokens.reasoning", delivered.event.reasoning_tokens),
    ...(include.cost ? [totalCost("gen_ai.cost.total_tokens", delivered)] : [])
  ],
  credentials: ({ dsn }) => ({ "x-sentry-auth": `sentry sentry_key=${publicKey(dsn)}` })
})
