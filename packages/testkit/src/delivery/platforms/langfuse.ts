import { basic, type OtlpPlatformRules, startOtlpIntake } from "./OtlpIntake.ts"

const config = { publicKey: "pk-lf-loopback", secretKey: "sk-lf-loopback" }

const environment = /^(?!langfuse)[a-z0-9_-]{1,40}$/

/** Source: https://github.com/langfuse/langfuse `web/src/pages/api/public/otel/v1/traces/index.ts` */
const rules: OtlpPlatformRules<"langfuse"> = {
  type: "langfuse",
  config: (baseUrl) => ({ ...config, baseUrl }),
  path: "/api/public/otel/v1/traces",
  contentTypes: ["application/json", "application/x-protobuf"],
  unauthorized: (headers) =>
    basic(headers, config.publicKey, config.secretKey)
      ? Number(headers["x-langfuse-ingestion-version"] ?? 1) > 4
        ? { status: 400, body: '{"error":"Unsupported x-langfuse-ingestion-version"}' }
        : undefined
      : { status: 401, body: '{"message":"Invalid credentials. Confirm that you\'ve configured the correct host."}' },
  mostBytes: 5_000_000,
  spanFault: ({ attributes }) => {
    const named = attributes["langfuse.environment"]
    if (named !== undefined && (typeof named !== "string" || !environment.test(named))) return "langfuse.environment"
    const costs = attributes["langfuse.observation.cost_details"]
    if (costs !== undefined && typeof JSON.parse(String(costs)) !== "object") return "langfuse.observation.cost_details"
    const first = attributes["langfuse.observation.completion_start_time"]
    if (first !== undefined && Number.isNaN(Date.parse(JSON.parse(String(first)) as string)))
      return "langfuse.observation.completion_start_time"
    return undefined
  },
  accepted: { status: 200, body: "{}" }
}

export const startLangfuse = startOtlpIntake(rules)
