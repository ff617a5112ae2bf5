import { type OtlpPlatformRules, startOtlpIntake } from "./OtlpIntake.ts"

/** Source: https://github.com/getsentry/relay `relay-server/src/endpoints/integrations/otlp.rs` */
const rules: OtlpPlatformRules<"sentry"> = {
  type: "sentry",
  config: (origin) => ({
    dsn: "https://abc123@o0.ingest.sentry.io/42",
    otlpEndpoint: `${origin}/api/42/integration/otlp/`
  }),
  path: "/api/42/integration/otlp/v1/traces",
  contentTypes: ["application/json", "application/x-protobuf"],
  unauthorized: (headers) =>
    headers["x-sentry-auth"] === "sentry sentry_key=abc123"
      ? undefined
      : { status: 401, body: '{"detail":"missing authorization information"}' },
  mostBytes: 1_048_576,
  accepted: { status: 202 }
}

export const startSentry = startOtlpIntake(rules)
