import { type OtlpPlatformRules, startOtlpIntake } from "./OtlpIntake.ts"

const config = { apiKey: "sk-loopback", projectId: "6f1b1c9e-5a0e-4d43-8d4c-0d3d8f6f2a10" }

const isObject = (json: unknown): boolean => {
  const value: unknown = JSON.parse(String(json))
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** Source: https://www.braintrust.dev/docs/integrations/sdk-integrations/opentelemetry */
const rules: OtlpPlatformRules<"braintrust"> = {
  type: "braintrust",
  config: (baseUrl) => ({ ...config, baseUrl }),
  path: "/otel/v1/traces",
  contentTypes: ["application/json", "application/x-protobuf"],
  unauthorized: (headers) =>
    headers.authorization !== `Bearer ${config.apiKey}`
      ? { status: 401 }
      : headers["x-bt-parent"] === `project_id:${config.projectId}`
        ? undefined
        : { status: 400, body: "No parent" },
  mostBytes: 10_000_000,
  spanFault: ({ attributes }) =>
    ["braintrust.span_attributes", "braintrust.metadata", "braintrust.metrics"].find(
      (key) => attributes[key] !== undefined && !isObject(attributes[key])
    ),
  accepted: { status: 200, body: "{}" }
}

export const startBraintrust = startOtlpIntake(rules)
