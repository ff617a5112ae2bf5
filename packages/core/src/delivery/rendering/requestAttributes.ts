import { type Attribute, decimal, text, texts, whole } from "./Span.ts"

const number = (key: string, value: unknown): readonly Attribute[] =>
  typeof value === "number" && Number.isFinite(value) ? [decimal(key, value)] : []

const integer = (key: string, value: unknown): readonly Attribute[] =>
  typeof value === "number" && Number.isSafeInteger(value) ? [whole(key, value)] : []

const isText = (value: unknown): value is string => typeof value === "string"

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
    ...number("gen_ai.request.top_k", body["top_k"]),
    ...number("gen_ai.request.frequency_penalty", body["frequency_penalty"]),
    ...number("gen_ai.request.presence_penalty", body["presence_penalty"]),
    ...integer("gen_ai.request.seed", body["seed"]),
    ...integer(
      "gen_ai.request.max_tokens",
      body["max_completion_tokens"] ?? body["max_output_tokens"] ?? body["max_tokens"]
    ),
    ...(stops.length === 0 ? [] : [texts("gen_ai.request.stop_sequences", stops)]),
    ...(Array.isArray(tools) && tools.length > 0 ? [text("gen_ai.tool.definitions", JSON.stringify(tools))] : [])
  ]
}
