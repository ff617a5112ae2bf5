/**
 * The attributes of a model call after the GenAI conventions, and those that the public API's guides name. A name that the conventions
 * replaced stays beside the new one, for platforms that read it.
 *
 * Source: https://github.com/open-telemetry/semantic-conventions-genai/blob/v0.1.0/docs/gen-ai/client-inference.md
 * Rule: observability#what-a-platform-receives.
 */
import type { RequestSpan } from "./RequestSpan.ts"
import {
  type Attribute,
  type AttributeValue,
  addKnown,
  anyValue,
  decimal,
  flag,
  known,
  text,
  texts,
  whole
} from "./Span.ts"
import { shortTag, tagsOfTrace } from "../../ports/usage.ts"
import { addIncluded, classifiersBesideTrace } from "./includedAttributes.ts"

const number = (key: string, value: unknown): readonly Attribute[] =>
  typeof value === "number" && Number.isFinite(value) ? [decimal(key, value)] : []

const integer = (key: string, value: unknown): readonly Attribute[] =>
  typeof value === "number" && Number.isSafeInteger(value) ? [whole(key, value)] : []

const isText = (value: unknown): value is string => typeof value === "string"

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined

/** In chat completions, Responses and Messages. */
const effortOf = (body: unknown): string | null => {
  const efforts = [
    memberOf(body, "reasoning_effort"),
    memberOf(memberOf(body, "reasoning"), "effort"),
    memberOf(memberOf(body, "output_config"), "effort")
  ]
  return efforts.find(isText) ?? null
}

const outputTypes: ReadonlyMap<unknown, string> = new Map([
  ["json_object", "json"],
  ["json_schema", "json"],
  ["text", "text"]
])

/** In chat completions and Responses; `null`: the request names no format. */
const outputTypeOf = (body: unknown): string | null => {
  const format = memberOf(body, "response_format") ?? memberOf(memberOf(body, "text"), "format")
  return outputTypes.get(memberOf(format, "type")) ?? null
}

/** The parameters that the request's body names, where it is an object. */
export const requestAttributes = (input: unknown): readonly Attribute[] => {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return []
  const body = input as Readonly<Record<string, unknown>>
  const stop = body["stop"] ?? body["stop_sequences"]
  const stops = isText(stop) ? [stop] : Array.isArray(stop) ? stop.filter(isText) : []
  const tools = body["tools"]
  return [
    ...number("gen_ai.request.temperature", body["temperature"]),
    ...number("gen_ai.request.top_p", body["top_p"]),
    ...integer("gen_ai.request.top_k", body["top_k"]),
    ...number("gen_ai.request.frequency_penalty", body["frequency_penalty"]),
    ...number("gen_ai.request.presence_penalty", body["presence_penalty"]),
    ...integer("gen_ai.request.seed", body["seed"]),
    ...integer(
      "gen_ai.request.max_tokens",
      body["max_completion_tokens"] ?? body["max_output_tokens"] ?? body["max_tokens"]
    ),
    ...(body["stream"] === true ? [flag("gen_ai.request.stream", true)] : []),
    ...(body["n"] === 1 ? [] : integer("gen_ai.request.choice.count", body["n"])),
    ...known(text, "gen_ai.request.reasoning.level", effortOf(body)),
    ...known(text, "gen_ai.output.type", outputTypeOf(body)),
    ...(stops.length === 0 ? [] : [texts("gen_ai.request.stop_sequences", stops)]),
    ...(Array.isArray(tools) && tools.length > 0 ? [text("gen_ai.tool.definitions", JSON.stringify(tools))] : [])
  ]
}

/**
 * The names that the conventions give to well-known providers, by the provider's name as it is recorded, without case and punctuation.
 *
 * Source: https://github.com/open-telemetry/semantic-conventions-genai/blob/v0.1.0/docs/registry/attributes/gen-ai.md
 */
const wellKnown: ReadonlyMap<string, string> = new Map([
  ["amazonbedrock", "aws.bedrock"],
  ["anthropic", "anthropic"],
  ["awsbedrock", "aws.bedrock"],
  ["azure", "azure.ai.openai"],
  ["azureopenai", "azure.ai.openai"],
  ["azureaiinference", "azure.ai.inference"],
  ["cohere", "cohere"],
  ["deepseek", "deepseek"],
  ["google", "gcp.vertex_ai"],
  ["googleaistudio", "gcp.gemini"],
  ["googlevertex", "gcp.vertex_ai"],
  ["groq", "groq"],
  ["ibmwatsonx", "ibm.watsonx.ai"],
  ["mistral", "mistral_ai"],
  ["mistralai", "mistral_ai"],
  ["moonshot", "moonshot_ai"],
  ["moonshotai", "moonshot_ai"],
  ["openai", "openai"],
  ["perplexity", "perplexity"],
  ["xai", "x_ai"]
])

/** Any other provider keeps its recorded name. */
export const providerName = (provider: string): string =>
  wellKnown.get(provider.toLowerCase().replace(/[^a-z0-9]/g, "")) ?? provider

/** What describes the whole trace: platforms read it from the root span too. */
const ofTrace = new Set(["session.id", "user.id", "gen_ai.conversation.id", "trace.name", "error.type"])

export const traceAttributes = (attributes: readonly Attribute[]): readonly Attribute[] =>
  attributes.filter(({ key }) => ofTrace.has(key))

export const metadataPrefix = "trace.metadata."

/** The bodies under the names of the conventions. A platform that lists root spans wants them there, too. */
export const bodyAttributes = ({ input, output }: RequestSpan): readonly Attribute[] => [
  ...(input === undefined ? [] : [text("gen_ai.input.messages", JSON.stringify(input))]),
  ...(output === undefined ? [] : [text("gen_ai.output.messages", JSON.stringify(output))])
]

const addBodies = (into: Attribute[], span: RequestSpan): void => {
  if (span.leftOut === "nothing") into.push(...requestAttributes(span.delivered.input), ...bodyAttributes(span))
  else into.push(text("gatewarden.left_out", span.leftOut))
}

export const genAiAttributes = (span: RequestSpan): readonly Attribute[] => {
  const { delivered, keys, model, operation, leftOut } = span
  const { event } = delivered
  const provider = providerName(event.provider)
  const all: Attribute[] = [
    text("gen_ai.operation.name", operation),
    text("gen_ai.provider.name", provider),
    text("gen_ai.system", provider),
    text("gen_ai.request.model", model),
    text("gen_ai.response.model", event.model),
    text("gen_ai.response.id", event.id),
    whole("gen_ai.usage.input_tokens", event.prompt_tokens),
    whole("gen_ai.usage.output_tokens", event.completion_tokens),
    whole(
      "gen_ai.usage.total_tokens",
      Math.min(event.prompt_tokens + event.completion_tokens, Number.MAX_SAFE_INTEGER)
    ),
    whole("gen_ai.usage.cache_read.input_tokens", event.cached_tokens),
    whole("gen_ai.usage.cache_write.input_tokens", event.cache_write_tokens),
    whole("gen_ai.usage.cache_creation.input_tokens", event.cache_write_tokens),
    whole("gen_ai.usage.reasoning.output_tokens", event.reasoning_tokens)
  ]
  if (event.finish_reason !== null) {
    all.push(text("gen_ai.response.finish_reason", event.finish_reason))
    all.push(texts("gen_ai.response.finish_reasons", [event.finish_reason]))
  }
  if (event.latency_ms !== null) all.push(decimal("gen_ai.response.time_to_first_chunk", event.latency_ms / 1000))
  addKnown(all, text, "gen_ai.conversation.id", event.session_id)
  addKnown(all, text, "session.id", event.session_id)
  addKnown(all, text, "user.id", event.external_user)
  if (event.status !== "ok") all.push(text("error.type", event.status))
  all.push(text("trace.name", keys.trace_name ?? event.model))
  if (leftOut !== "metadata")
    for (const [key, value] of keys.metadata) all.push(...anyValue(`${metadataPrefix}${key}`, value))
  addIncluded(all, delivered, span.include)
  addBodies(all, span)
  return all
}

const plain = (value: AttributeValue): string | boolean | number | readonly string[] => {
  if ("stringValue" in value) return value.stringValue
  if ("boolValue" in value) return value.boolValue
  if ("doubleValue" in value) return value.doubleValue
  if ("intValue" in value) return Number(value.intValue)
  return value.arrayValue.values.map(({ stringValue }) => stringValue)
}

/** Attributes as a JSON object. Of two with one name the last counts. */
export const asObject = (attributes: readonly Attribute[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]))

/** Bodies are in fields of their own. */
const bodies = new Set(["gen_ai.input.messages", "gen_ai.output.messages"])

/** The attributes of the conventions without the bodies. Where metadata is left out, there is nothing that a caller can make long. */
export const flatAttributes = (request: RequestSpan): Readonly<Record<string, unknown>> =>
  request.leftOut === "metadata"
    ? { "gatewarden.left_out": "metadata" }
    : asObject(genAiAttributes(request).filter(({ key }) => !bodies.has(key)))

const requestPrefix = "gen_ai.request."

/** Parameters of the model that a request named, such as `temperature` and `max_tokens`, under these names. */
export const modelParameters = (input: unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(asObject(requestAttributes(input)))
      .filter(([key]) => key.startsWith(requestPrefix))
      .map(([key, value]) => [key.slice(requestPrefix.length), value])
  )

const mostTags = 64

/**
 * The tags of a request, for platforms that have tags: the texts of `trace.tags`, and with the request context those of classifiers as
 * `classifier.dimension:value`.
 */
export const tagsOf = ({ delivered: { event }, include, leftOut }: RequestSpan): readonly string[] => {
  if (leftOut === "metadata") return []
  const classified = include.request_context
    ? classifiersBesideTrace(event).flatMap(([classifier, tags]) =>
        Object.entries(tags).map(([dimension, tag]) => shortTag(`${classifier}.${dimension}:${tag}`))
      )
    : []
  return [...new Set([...tagsOfTrace(event.trace), ...classified])].slice(0, mostTags)
}
