import { basic, type OtlpPlatformRules, startOtlpIntake } from "./OtlpIntake.ts"

const config = { apiKey: "0123456789loopback", entity: "my-team", project: "gateway" }

/** Source: https://docs.wandb.ai/weave/guides/tracking/otel */
const rules: OtlpPlatformRules<"weave"> = {
  type: "weave",
  config: (baseUrl) => ({ ...config, baseUrl }),
  path: "/otel/v1/traces",
  contentTypes: ["application/x-protobuf"],
  unauthorized: (headers) =>
    !basic(headers, "api", config.apiKey) || headers["wandb-api-key"] !== config.apiKey
      ? { status: 401 }
      : headers["project_id"] === `${config.entity}/${config.project}`
        ? undefined
        : { status: 400, body: '{"detail":"project_id"}' },
  mostBytes: 20 * 1024 * 1024,
  spanFault: ({ resource }) =>
    resource["wandb.entity"] === config.entity && resource["wandb.project"] === config.project
      ? undefined
      : "The resource names no project",
  accepted: { status: 200 }
}

export const startWeave = startOtlpIntake(rules)
