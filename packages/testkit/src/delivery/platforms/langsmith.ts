import { type OtlpPlatformRules, startOtlpIntake } from "./OtlpIntake.ts"

const config = { apiKey: "lsv2_loopback", project: "gateway", workspaceId: "6f1b1c9e-5a0e-4d43-8d4c-0d3d8f6f2a10" }

const kinds = ["llm", "chain", "tool", "retriever", "embedding", "prompt", "parser"]

/** Source: https://docs.langchain.com/langsmith/trace-with-opentelemetry */
const rules: OtlpPlatformRules<"langsmith"> = {
  type: "langsmith",
  config: (endpoint) => ({ ...config, endpoint }),
  path: "/otel/v1/traces",
  contentTypes: ["application/x-protobuf"],
  unauthorized: (headers) =>
    headers["x-api-key"] === config.apiKey &&
    headers["langsmith-project"] === config.project &&
    headers["x-tenant-id"] === config.workspaceId
      ? undefined
      : { status: 403, body: '{"detail":"Forbidden"}' },
  mostBytes: 20 * 1024 * 1024,
  spanFault: ({ attributes }) =>
    kinds.includes(String(attributes["langsmith.span.kind"])) ? undefined : "langsmith.span.kind",
  accepted: { status: 200 }
}

export const startLangsmith = startOtlpIntake(rules)
