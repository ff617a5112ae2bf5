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
export const typed = z.looseObject({ type: z.string().describe("Kind of the object. Its other fields depend on it.") })

export const chatRoles = ["system", "developer", "user", "assistant", "tool"] as const
export type ChatRole = (typeof chatRoles)[number]

/** A part of a message; one of type `text` carries its text. */
const contentPart = typed.superRefine((part, context) => {
  if (part.type === "text" && typeof part["text"] !== "string")
    context.addIssue({ code: "custom", path: ["text"], params: { code: "invalid_type" }, message: "Expected a string" })
})

const content = z.union([z.string(), manyOf(contentPart)])

const messageOf = <const R extends ChatRole, S extends z.ZodType>(role: R, content: S) =>
  z.looseObject({
    role: z.literal(role).describe("Role of the author of the message."),
    content: content.describe("Content of the message: a text, or a list of parts."),
    name: z.string().nullish().describe("Name of the author, to tell authors of one role apart.")
  })

export const ChatMessage = z
  .discriminatedUnion("role", [
    messageOf("system", content),
    messageOf("developer", content),
    messageOf("user", content),
    // An assistant that only calls tools says nothing.
    messageOf("assistant", content.nullish()),
    messageOf("tool", content)
  ])
  .meta({ id: "ChatMessage", description: "A message of a conversation." })
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
  model: word.describe("Model that answers, by slug or canonical slug."),
  models: manyOf(z.string()).optional().describe("Models to try in this order if one before fails."),
  temperature: between(0, 2).describe("Sampling temperature, 0 to 2."),
  top_p: between(0, 1).describe("Probability mass of nucleus sampling, 0 to 1."),
  top_k: anyInteger.describe("Number of most likely tokens to sample from."),
  top_a: anyNumber.describe("Minimum probability of a token, in relation to the square of the most likely one's."),
  min_p: anyNumber.describe("Minimum probability of a token, in relation to the most likely one's."),
  frequency_penalty: between(-2, 2).describe("Penalty for tokens by how often they occurred, -2 to 2."),
  presence_penalty: between(-2, 2).describe("Penalty for tokens that occurred, -2 to 2."),
  repetition_penalty: anyNumber.describe("Penalty for the repetition of tokens of the prompt and the completion."),
  seed: anyInteger.describe("Seed of the sampling, for repeatable answers."),
  stop: z
    .union([z.string(), z.array(z.string()).max(4)])
    .nullish()
    .describe("Texts at which the completion ends, at most four."),
  max_tokens: anyInteger.describe("Deprecated for `max_completion_tokens`."),
  max_completion_tokens: anyInteger.describe("Maximum number of completion tokens, reasoning included."),
  logit_bias: object.nullish().describe("Bias for tokens by their ids."),
  logprobs: flag.describe("Whether the answer has log probabilities of its tokens."),
  top_logprobs: z
    .int()
    .min(0)
    .max(20)
    .nullish()
    .describe("Number of most likely tokens to show at each position, 0 to 20."),
  response_format: object.optional().describe("Format of the answer, such as a JSON schema."),
  tools: manyOf(object).optional().describe("Tools that the model may call: functions and server tools."),
  tool_choice: z.union([z.string(), object]).optional().describe("Tool that the model must call, or whether it may."),
  parallel_tool_calls: flag.describe("Whether the model may call several tools at once."),
  stop_server_tools_when: manyOf(typed)
    .min(1)
    .optional()
    .describe("Conditions under which server tools are not called any more."),
  modalities: manyOf(z.enum(["text", "image", "audio"]))
    .optional()
    .describe("Kinds of output to produce."),
  reasoning: z
    .looseObject({ effort: ReasoningEffort.nullish().describe("Effort of reasoning.") })
    .optional()
    .describe("Settings for reasoning."),
  reasoning_effort: ReasoningEffort.nullish().describe(
    "Effort of reasoning. It must not differ from `reasoning.effort`."
  ),
  provider: object.nullish().describe("Preferences for the choice of endpoints."),
  route: z.enum(["fallback", "sort"]).nullish().describe("Deprecated: how to choose among `models`."),
  plugins: manyOf(object).optional().describe("Plugins that the request uses."),
  service_tier: z
    .enum(["auto", "default", "fast", "flex", "priority", "scale"])
    .nullish()
    .describe("Service tier of the provider. `fast` is another name for `priority`."),
  cache_control: typed.optional().describe("Where the provider caches the prompt, and for how long."),
  image_config: object.optional().describe("Settings for generated images.")
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
    messages: manyOf(ChatMessage).min(1).describe("Messages of the conversation."),
    ...chatSettings,
    stream: z.boolean().optional().describe("Whether the answer is streamed."),
    stream_options: object.nullish().describe("Options of a streamed answer, such as a report of its usage."),
    session_id: text(0, 256).optional().describe("Id of the session. Presets do not keep it."),
    debug: z
      .looseObject({
        echo_upstream_body: z
          .boolean()
          .optional()
          .describe("Whether the answer repeats the body that was sent to the provider.")
      })
      .optional()
      .describe("Options for debugging. Presets do not keep them."),
    metadata: metadata.optional().describe("Pairs of texts about the request. Presets do not keep them."),
    trace: z
      .looseObject({
        trace_id: word.describe("Id of the trace that the request belongs to."),
        trace_name: word.describe("Name of that trace for people."),
        span_name: word.describe("Name of the request's span in the trace."),
        generation_name: word.describe("Name of the generation in the trace."),
        parent_span_id: word.describe("Id of the span that makes the request.")
      })
      .optional()
      .describe("Names and ids of the trace of the request. Presets do not keep them."),
    user: word.describe("Name of the end user. Presets do not keep it.")
  })
  .superRefine(refuseDifferingEfforts)
  .meta({
    id: "ChatRequest",
    description: "A chat completion request. A preset keeps its settings and its system prompt."
  })
export type ChatRequest = z.output<typeof ChatRequest>
