/**
 * The body of a chat completion: every bound that the public API states, and nothing beyond it.
 *
 * Rule: presets#chat-bodies. Upstream providers validate messages, tools, plugins and preferences, so their contents are not checked here.
 * Fields not named here are ignored.
 */
import * as z from "zod"
import { manyOf } from "./manyOf.ts"
import { codePoints, documentedAs, text } from "./primitives.ts"

/** Every own entry of a JSON object, `__proto__` among them, which a record schema would pass over. */
type JsonObject = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Any JSON object, whatever is in it. */
export const jsonObject = z
  .custom<JsonObject>(isObject, { message: "Expected an object", params: { code: "invalid_type" } })
  .meta({ [documentedAs]: { type: "object" } })
const object = jsonObject

/** An object with a `type`. */
export const typed = z.looseObject({ type: z.string() })

export const chatRoles = ["system", "developer", "user", "assistant", "tool"] as const
export type ChatRole = (typeof chatRoles)[number]

/** A part of a message; one of type `text` carries its text. */
const contentPart = typed.superRefine((part, context) => {
  if (part.type === "text" && typeof part["text"] !== "string")
    context.addIssue({ code: "custom", path: ["text"], params: { code: "invalid_type" }, message: "Expected a string" })
})

const content = z.union([z.string(), manyOf(contentPart)])

const messageOf = <const R extends ChatRole, S extends z.ZodType>(role: R, content: S) =>
  z.looseObject({ role: z.literal(role), content, name: z.string().nullish() })

export const ChatMessage = z
  .discriminatedUnion("role", [
    messageOf("system", content),
    messageOf("developer", content),
    messageOf("user", content),
    // An assistant that only calls tools says nothing.
    messageOf("assistant", content.nullish()),
    messageOf("tool", content)
  ])
  .meta({ id: "ChatMessage" })
export type ChatMessage = z.output<typeof ChatMessage>

export const ReasoningEffort = z.enum(["max", "xhigh", "high", "medium", "low", "minimal", "none"])

const between = (min: number, max: number) => z.number().min(min).max(max).nullish()
const anyNumber = z.number().nullish()
const anyInteger = z.int().nullish()
const flag = z.boolean().nullish()
const word = z.string().optional()

/** At most 16 pairs, keys of up to 64 and values of up to 512 characters. */
const metadata = object
  .superRefine((pairs, context) => {
    const refuse = (path: readonly string[], code: string, message: string) =>
      context.addIssue({ code: "custom", path: [...path], params: { code }, message })
    const entries = Object.entries(pairs)
    if (entries.length > 16) return refuse([], "too_big", "Expected at most 16 pairs")
    for (const [key, value] of entries) {
      if (codePoints(key) > 64) refuse([key], "key_too_long", "Expected keys of at most 64 characters")
      if (typeof value !== "string") refuse([key], "invalid_type", "Expected a string")
      else if (codePoints(value) > 512) refuse([key], "too_long", "Expected 0 to 512 characters")
    }
  })
  .meta({
    [documentedAs]: { type: "object", maxProperties: 16, additionalProperties: { type: "string", maxLength: 512 } }
  })

/** What a preset keeps of a request (Rule: presets#kept-fields). */
export const chatSettings = {
  model: word,
  models: manyOf(z.string()).optional(),
  temperature: between(0, 2),
  top_p: between(0, 1),
  top_k: anyInteger,
  top_a: anyNumber,
  min_p: anyNumber,
  frequency_penalty: between(-2, 2),
  presence_penalty: between(-2, 2),
  repetition_penalty: anyNumber,
  seed: anyInteger,
  stop: z.union([z.string(), z.array(z.string()).max(4)]).nullish(),
  /** Deprecated for `max_completion_tokens`. */
  max_tokens: anyInteger,
  max_completion_tokens: anyInteger,
  logit_bias: object.nullish(),
  logprobs: flag,
  top_logprobs: z.int().min(0).max(20).nullish(),
  response_format: object.optional(),
  tools: manyOf(object).optional(),
  tool_choice: z.union([z.string(), object]).optional(),
  parallel_tool_calls: flag,
  stop_server_tools_when: manyOf(typed).min(1).optional(),
  modalities: manyOf(z.enum(["text", "image", "audio"])).optional(),
  reasoning: z.looseObject({ effort: ReasoningEffort.nullish() }).optional(),
  reasoning_effort: ReasoningEffort.nullish(),
  provider: object.nullish(),
  /** Deprecated. */
  route: z.enum(["fallback", "sort"]).nullish(),
  plugins: manyOf(object).optional(),
  /** `fast` is another name for `priority`. */
  service_tier: z.enum(["auto", "default", "fast", "flex", "priority", "scale"]).nullish(),
  cache_control: typed.optional(),
  image_config: object.optional()
}

interface Efforts {
  readonly reasoning?: { readonly effort?: unknown } | null | undefined
  readonly reasoning_effort?: unknown
}

/** Two efforts that differ are an issue at the second. */
export const refuseDifferingEfforts = (request: Efforts, context: z.RefinementCtx): void => {
  const effort = request.reasoning?.effort
  if (effort == null || request.reasoning_effort == null || effort === request.reasoning_effort) return
  context.addIssue({
    code: "custom",
    path: ["reasoning_effort"],
    params: { code: "conflicting_reasoning_effort", reason: "conflicting_reasoning_effort" },
    message: "reasoning_effort and reasoning.effort differ"
  })
}

export const ChatRequest = z
  .object({
    messages: manyOf(ChatMessage).min(1),
    ...chatSettings,
    stream: z.boolean().optional(),
    stream_options: object.nullish(),
    session_id: text(0, 256).optional(),
    debug: z.looseObject({ echo_upstream_body: z.boolean().optional() }).optional(),
    metadata: metadata.optional(),
    trace: z
      .looseObject({
        trace_id: word,
        trace_name: word,
        span_name: word,
        generation_name: word,
        parent_span_id: word
      })
      .optional(),
    user: word
  })
  .superRefine(refuseDifferingEfforts)
  .meta({ id: "ChatRequest" })
export type ChatRequest = z.output<typeof ChatRequest>
