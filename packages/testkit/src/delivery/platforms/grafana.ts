import { basic, type OtlpPlatformRules, startOtlpIntake } from "./OtlpIntake.ts"

const config = { instanceId: "123456", apiKey: "glc_loopback" }

/** Source: https://grafana.com/docs/grafana-cloud/send-data/otlp/send-data-otlp/ */
const rules: OtlpPlatformRules<"grafana"> = {
  type: "grafana",
  config: (baseUrl) => ({ ...config, baseUrl }),
  path: "/otlp/v1/traces",
  contentTypes: ["application/json", "application/x-protobuf"],
  unauthorized: (headers) =>
    basic(headers, config.instanceId, config.apiKey)
      ? undefined
      : { status: 401, body: '{"status":"error","error":"authentication error: invalid token"}' },
  mostBytes: 5_000_000,
  accepted: { status: 200, body: '{"partialSuccess":{}}' }
}

export const startGrafana = startOtlpIntake(rules)
