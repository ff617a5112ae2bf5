/**
 * Sentry: Relay's OTLP endpoint, with the public key of the DSN. It answers 202.
 *
 * Source: https://docs.sentry.io/concepts/otlp/direct/, https://github.com/getsentry/relay (`endpoints/integrations/otlp.rs`)
 */
import { below } from "../otlp/below.ts"
import { jsonEncoding } from "../otlp/jsonEncoding.ts"
import { otlpRenderer } from "../otlp/otlpRenderer.ts"

/** `https://<public key>[:<secret key>]@<host>/<project>` */
const publicKey = (dsn: string): string => /^[a-z]+:\/\/([^:@/]+)/i.exec(dsn)?.[1] ?? ""

export const sentry = otlpRenderer({
  type: "sentry",
  limits: { events: 500, bytes: 1_000_000 },
  encoding: jsonEncoding,
  address: ({ otlpEndpoint }) => below(otlpEndpoint, "/v1/traces"),
  credentials: ({ dsn }) => ({ "x-sentry-auth": `sentry sentry_key=${publicKey(dsn)}` })
})
