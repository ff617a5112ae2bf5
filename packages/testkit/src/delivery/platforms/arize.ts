import {
  INPUT_MIME_TYPE,
  INPUT_VALUE,
  LLM_COST_TOTAL,
  LLM_MODEL_NAME,
  LLM_PROVIDER,
  LLM_TOKEN_COUNT_COMPLETION,
  LLM_TOKEN_COUNT_COMPLETION_DETAILS_REASONING,
  LLM_TOKEN_COUNT_PROMPT,
  LLM_TOKEN_COUNT_PROMPT_DETAILS_CACHE_READ,
  LLM_TOKEN_COUNT_TOTAL,
  METADATA,
  OpenInferenceSpanKind,
  OUTPUT_MIME_TYPE,
  OUTPUT_VALUE,
  SemanticConventions
} from "@arizeai/openinference-semantic-conventions"
import { type OtlpPlatformRules, startOtlpIntake } from "./OtlpIntake.ts"

const config = { apiKey: "ak-loopback", spaceKey: "space-loopback", modelId: "gateway" }

/** Names that OpenInference has; those of messages have an index and a rest. */
const known: ReadonlySet<string> = new Set([
  INPUT_MIME_TYPE,
  INPUT_VALUE,
  LLM_COST_TOTAL,
  LLM_MODEL_NAME,
  LLM_PROVIDER,
  LLM_TOKEN_COUNT_COMPLETION,
  LLM_TOKEN_COUNT_COMPLETION_DETAILS_REASONING,
  LLM_TOKEN_COUNT_PROMPT,
  LLM_TOKEN_COUNT_PROMPT_DETAILS_CACHE_READ,
  LLM_TOKEN_COUNT_TOTAL,
  METADATA,
  OUTPUT_MIME_TYPE,
  OUTPUT_VALUE,
  SemanticConventions.EMBEDDING_MODEL_NAME,
  SemanticConventions.OPENINFERENCE_SPAN_KIND
])

const ofMessage = new RegExp(
  `^(?:${SemanticConventions.LLM_INPUT_MESSAGES}|${SemanticConventions.LLM_OUTPUT_MESSAGES})\\.\\d+\\.(?:${[
    SemanticConventions.MESSAGE_ROLE,
    SemanticConventions.MESSAGE_CONTENT,
    SemanticConventions.MESSAGE_TOOL_CALL_ID,
    `${SemanticConventions.MESSAGE_TOOL_CALLS}\\.\\d+\\.(?:${SemanticConventions.TOOL_CALL_ID}|${SemanticConventions.TOOL_CALL_FUNCTION_NAME}|${SemanticConventions.TOOL_CALL_FUNCTION_ARGUMENTS_JSON})`
  ].join("|")})$`
)

/** Source: https://github.com/Arize-ai/openinference/blob/main/spec/semantic_conventions.md */
const rules: OtlpPlatformRules<"arize"> = {
  type: "arize",
  config: (baseUrl) => ({ ...config, baseUrl }),
  path: "/v1/traces",
  contentTypes: ["application/x-protobuf"],
  unauthorized: (headers) =>
    headers["api_key"] === config.apiKey && headers["space_id"] === config.spaceKey ? undefined : { status: 401 },
  mostBytes: 4_194_304,
  spanFault: ({ attributes, resource }) => {
    if (resource["openinference.project.name"] !== config.modelId || resource["model_id"] !== config.modelId)
      return "The resource names no project"
    const kind = attributes[SemanticConventions.OPENINFERENCE_SPAN_KIND]
    if (!Object.values(OpenInferenceSpanKind).includes(kind as OpenInferenceSpanKind)) return `Kind ${String(kind)}`
    return Object.keys(attributes).find(
      (key) =>
        /^(?:llm|input|output|openinference|embedding|metadata)\b/.test(key) && !known.has(key) && !ofMessage.test(key)
    )
  },
  accepted: { status: 200 }
}

export const startArize = startOtlpIntake(rules)
