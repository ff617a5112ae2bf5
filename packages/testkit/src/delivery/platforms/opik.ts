import { type OtlpPlatformRules, startOtlpIntake } from "./OtlpIntake.ts"

const config = { apiKey: "opik-loopback", workspace: "my-workspace", projectName: "gateway" }

/**
 * Opik takes an attribute for which it has no rule for the model's input. That is no fault to it, and one here.
 *
 * Source: https://github.com/comet-ml/opik `domain/mapping/otel/{GenAI,General}MappingRules.java`
 */
const ruled =
  /^(?:(?:input|output|opik\.tags)$|gen_ai\.(?:usage|input|output|cost|tool|agent|request|response)\.|gen_ai\.(?:system|operation\.name|conversation\.id|system_instructions)$|error\.(?:type|message)$|opik\.metadata)/

const rules: OtlpPlatformRules<"opik"> = {
  type: "opik",
  config: (origin) => ({ ...config, baseUrl: `${origin}/opik/api` }),
  path: "/opik/api/v1/private/otel/v1/traces",
  contentTypes: ["application/json", "application/x-protobuf"],
  unauthorized: (headers) =>
    headers.authorization === config.apiKey &&
    headers["comet-workspace"] === config.workspace &&
    headers["projectname"] === config.projectName
      ? undefined
      : { status: 401, body: '{"code":401,"message":"API key should be provided"}' },
  mostBytes: 20 * 1024 * 1024,
  spanFault: ({ attributes }) =>
    Object.entries(attributes).find(
      ([key, value]) =>
        !ruled.test(key) || (key.startsWith("gen_ai.usage.") && key !== "gen_ai.usage.cost" && !Number.isInteger(value))
    )?.[0],
  accepted: { status: 200 }
}

export const startOpik = startOtlpIntake(rules)
