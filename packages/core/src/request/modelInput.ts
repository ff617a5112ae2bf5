/**
 * What a model is sent of a request: the messages, and every other field that is not for the gateway alone. The upper bound of a hold
 * and the content filters read the same fields and the same parts, so that neither misses what the other counts.
 *
 * Source: decisions 15 (upper bound of a hold; filters see what the model sees).
 */
import type { ChatMessage } from "@gatewarden/contract"

export type Fields = Readonly<Record<string, unknown>>

/** Fields that choose an endpoint, limit or describe the answer, or are for this service. A field that is not listed counts. */
const notForTheModel: ReadonlySet<string> = new Set([
  "messages",
  "api_key_hash",
  "ingress_region",
  "hold_seconds",
  "max_cost_usd",
  "extra_prompt_bytes",
  "reversible_redaction",
  "guardrail",
  "replay",
  "model",
  "models",
  "preset",
  "provider",
  "route",
  "stream",
  "stream_options",
  "user",
  "session_id",
  "metadata",
  "trace",
  "debug",
  "n",
  "max_tokens",
  "max_completion_tokens",
  "temperature",
  "top_p",
  "top_k",
  "top_a",
  "min_p",
  "frequency_penalty",
  "presence_penalty",
  "repetition_penalty",
  "seed",
  "logit_bias",
  "logprobs",
  "top_logprobs",
  "parallel_tool_calls",
  "modalities",
  "service_tier",
  "stop_server_tools_when"
])

/** The fields beside the messages that a model is sent, with their values; `null` counts as absent. */
export const modelFields = (request: Fields): Fields =>
  Object.fromEntries(
    Object.entries(request).filter(
      ([name, value]) => value !== undefined && value !== null && !notForTheModel.has(name)
    )
  )

/**
 * A part of which the request holds no readable text: an `image`, content of another `known` type (audio, video, a file), or a part of
 * an `unknown` type.
 */
export interface OpaquePart {
  readonly kind: "image" | "known" | "unknown"
  readonly type: string
  /** Its index among the messages; `null` in another field. */
  readonly message: number | null
  readonly part: Fields
}

const images: ReadonlySet<string> = new Set(["image_url", "input_image", "image"])

const known: ReadonlySet<string> = new Set([
  "input_audio",
  "audio",
  "audio_url",
  "file",
  "file_url",
  "input_file",
  "document",
  "document_url",
  "video",
  "video_url",
  "input_video",
  "media"
])

/** Parts whose strings are all there is to read. */
const readable: ReadonlySet<string> = new Set([
  "text",
  "input_text",
  "output_text",
  "summary_text",
  "refusal",
  "thinking",
  "redacted_thinking",
  "reasoning",
  "reasoning.text",
  "reasoning.summary",
  "reasoning.encrypted",
  "tool_use",
  "tool_result",
  "function_call",
  "function_call_output",
  "url_citation"
])

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** JSON Schemas and arguments, which hold objects with a `type` that are no parts. */
const withoutParts: ReadonlySet<string> = new Set([
  "tools",
  "functions",
  "response_format",
  "tool_calls",
  "function_call",
  "tool_choice",
  "arguments",
  "input_schema",
  "cache_control"
])

interface Open {
  readonly value: unknown
  readonly message: number | null
  /** Every object in a list of content is a part, whatever its type. */
  readonly isContent: boolean
}

/** The opaque parts of messages and other fields, however deep; not in any order. May be left between any two steps. */
export function* opaqueParts(
  messages: readonly ChatMessage[],
  fields: Fields
): Generator<OpaquePart | undefined, undefined> {
  const open: Open[] = []
  const openMembers = (object: Fields, message: number | null, except?: string): void => {
    for (const name in object) {
      const value = object[name]
      if (typeof value !== "object" || value === null || name === except || withoutParts.has(name)) continue
      open.push({ value, message, isContent: name === "content" })
    }
  }
  openMembers(fields, null)
  for (let index = 0; index <= messages.length; index++) {
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { value, message, isContent } = next
      if (Array.isArray(value)) {
        for (const item of value)
          if (typeof item === "object" && item !== null) open.push({ value: item, message, isContent })
      } else if (isObject(value)) {
        const { type } = value
        const kind =
          typeof type !== "string"
            ? undefined
            : images.has(type)
              ? ("image" as const)
              : known.has(type)
                ? ("known" as const)
                : isContent && !readable.has(type)
                  ? ("unknown" as const)
                  : undefined
        if (kind !== undefined) yield { kind, type: type as string, message, part: value }
        // Arguments of a tool that was used are its own, whatever they look like.
        else openMembers(value, message, type === "tool_use" ? "input" : undefined)
      }
      if (open.length % 1_000 === 999) yield
    }
    const message = messages[index]
    if (message === undefined) continue
    // An earlier answer that was spoken is referred to by its id.
    if (isObject(message["audio"])) yield { kind: "known", type: "audio", message: index, part: message["audio"] }
    if (typeof message.content !== "string" || Object.keys(message).length > 2) openMembers(message, index, "audio")
  }
}
