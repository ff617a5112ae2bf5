import { type OtlpPlatformRules, startOtlpIntake } from "./OtlpIntake.ts"

/** The collector's own receiver, without an authenticator. */
const rules: OtlpPlatformRules<"otel-collector"> = {
  type: "otel-collector",
  config: (endpoint) => ({ endpoint }),
  path: "/v1/traces",
  contentTypes: ["application/json", "application/x-protobuf"],
  unauthorized: () => undefined,
  mostBytes: 20 * 1024 * 1024,
  accepted: { status: 200, body: '{"partialSuccess":{}}' }
}

export const startOtelCollector = startOtlpIntake(rules)
