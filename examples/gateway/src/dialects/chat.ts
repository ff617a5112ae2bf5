/** OpenAI's chat completions, as OpenRouter extends them. */
import { ChatRequest } from "@gatewarden/contract"
import { issuesOf } from "@gatewarden/core/effect"
import { refusal } from "../Answer.ts"
import { hidesReasoning, reasoningFields } from "../reasoning.ts"
import {
  bearerHeaders,
  countOf,
  type Dialect,
  eventOf,
  type Fields,
  fieldOf,
  filledIn,
  hasError,
  isFields,
  keeping,
  mediaIn,
  onlyKnown,
  type Shaping,
  type StreamShape,
  textsIn
} from "./Dialect.ts"
import { printUsage } from "./printUsage.ts"
import { referencesInFields } from "./references.ts"
import { restoreAnswer, restoreChunks } from "./restoreChat.ts"
import { shapeAnswer, shapeChunk } from "./shapeChat.ts"

/** For the gateway and not for providers, or written by the gateway itself. */
const kept: readonly string[] = [
  "messages",
  "model",
  "models",
  "provider",
  "route",
  "session_id",
  "debug",
  "trace",
  "metadata",
  "user",
  "stream",
  "stream_options",
  "max_tokens",
  "max_completion_tokens"
] satisfies (keyof ChatRequest)[]

/** Beyond the request of the public API: what OpenAI's has. */
const alsoKnown = ["n", "functions", "function_call", "prediction", "verbosity", "web_search_options"]

const forwarded = keeping(
  new Set([...Object.keys(ChatRequest.shape), ...alsoKnown].filter((name) => !kept.includes(name)))
)

const read: Dialect["read"] = (sent) => {
  const parsed = ChatRequest.safeParse(sent)
  if (!parsed.success) return issuesOf(ChatRequest, parsed.error, sent)
  const { data: chat } = parsed
  const fields = sent as Fields
  const issues = referencesInFields(fields, ["messages", "tools", "plugins"])
  if (issues.length > 0) return { issues }
  const { preset } = fields
  return {
    decided: {
      messages: chat.messages,
      model: chat.model,
      models: chat.models,
      preset: typeof preset === "string" ? preset : undefined,
      provider: chat.provider,
      stream: chat.stream,
      user: chat.user,
      session_id: chat.session_id,
      max_completion_tokens: chat.max_completion_tokens ?? chat.max_tokens
    },
    forwarded: forwarded(fields),
    trace: chat.trace,
    form: {
      hidesReasoning: hidesReasoning(chat),
      includesUsage: fieldOf(chat.stream_options, "include_usage") === true
    }
  }
}

const bodyFor: Dialect["bodyFor"] = ({ upstream, model, body, cap }) => {
  const { reasoning: shape = "generic", token_limit_field = "max_completion_tokens" } = upstream
  const { reasoning, reasoning_effort, ...fields } = body
  return {
    ...fields,
    // The admitted one, whatever the body has.
    model,
    ...reasoningFields(shape, { reasoning, reasoning_effort }, cap),
    ...(fields["stream"] === true ? { stream_options: { include_usage: true } } : {}),
    ...(cap === null ? {} : { [token_limit_field]: cap })
  }
}

const reported: Dialect["reported"] = ({ usage }) => {
  if (!isFields(usage)) return undefined
  const detail = (of: "prompt" | "completion", name: string): number | null =>
    countOf(fieldOf(usage, `${of}_tokens_details`, name)) ?? null
  return onlyKnown({
    prompt_tokens: countOf(usage["prompt_tokens"]),
    completion_tokens: countOf(usage["completion_tokens"]),
    total_tokens: countOf(usage["total_tokens"]),
    cached_tokens: detail("prompt", "cached_tokens"),
    cache_write_tokens: detail("prompt", "cache_write_tokens"),
    reasoning_tokens: detail("completion", "reasoning_tokens"),
    prompt_tokens_details: {
      cache_write_1h_tokens: detail("prompt", "cache_write_1h_tokens"),
      audio_tokens: detail("prompt", "audio_tokens"),
      cached_audio_tokens: detail("prompt", "cached_audio_tokens"),
      image_tokens: detail("prompt", "image_tokens")
    },
    completion_tokens_details: {
      audio_tokens: detail("completion", "audio_tokens"),
      image_tokens: detail("completion", "image_tokens")
    },
    server_tool_use: {
      web_search_requests: countOf(fieldOf(usage, "server_tool_use", "web_search_requests")) ?? null
    }
  })
}

/** Forms of what was thought. Many upstreams send several of them. */
const thoughts: readonly string[] = ["reasoning", "reasoning_content", "reasoning_details"]

/** The text of a message or a delta, with the longest form of what was thought. */
const writtenIn = (message: unknown): string => {
  if (!isFields(message)) return ""
  const rest = Object.fromEntries(Object.entries(message).filter(([name]) => !thoughts.includes(name)))
  const forms = thoughts.map((name) => textsIn(message[name]).join(""))
  return textsIn(rest).join("") + forms.reduce((longest, form) => (form.length > longest.length ? form : longest))
}

const choicesOf = ({ choices }: Fields): readonly unknown[] => (Array.isArray(choices) ? choices : [])

const messagesOf = (said: Fields): readonly unknown[] =>
  choicesOf(said).flatMap((choice) => [fieldOf(choice, "delta"), fieldOf(choice, "message")])

const finished: Dialect["finished"] = (said) =>
  choicesOf(said)
    .map((choice) => fieldOf(choice, "finish_reason"))
    .findLast((reason) => typeof reason === "string")

const isOnlyUsage = (chunk: Fields): boolean => choicesOf(chunk).length === 0

const stream = (shaping: Shaping): StreamShape => {
  const { id, created, answering, form, restore } = shaping
  const restored = restore && restoreChunks(restore)
  let isOver = false
  const head = { id, object: "chat.completion.chunk", created, ...answering }
  // Who asks for it gets OpenAI's event without choices, and who does not one that has them, as clients then expect.
  const choices =
    form.includesUsage === true ? [] : [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }]
  return {
    push: (chunk) => {
      isOver ||= finished(chunk) !== undefined
      if (isOnlyUsage(chunk)) {
        // Some count in each chunk, too, which ends nothing.
        isOver ||= filledIn(reported(chunk, {}) ?? {}).completion_tokens !== undefined
        return []
      }
      const shaped = shapeChunk(chunk, shaping)
      return [eventOf(restored?.push(shaped) ?? shaped)]
    },
    isWhole: (isDone) => isDone || isOver,
    // Other choices may go on, and `[DONE]` comes last.
    isLast: () => false,
    end: () => {
      const rest = restored?.end()
      return [
        ...(rest === undefined ? [] : [eventOf({ ...rest, ...answering })]),
        eventOf({ ...head, choices, usage: printUsage(shaping.spent()) })
      ]
    },
    done: () => eventOf("[DONE]"),
    broken: () =>
      eventOf({
        ...head,
        error: { code: 502, message: "Provider returned error", metadata: { error_type: "provider_unavailable" } },
        choices: [{ index: 0, delta: { content: "" }, finish_reason: "error" }]
      })
  }
}

export const chat: Dialect = {
  name: "chat",
  path: "/chat/completions",
  read,
  forwarded,
  headers: bearerHeaders,
  bodyFor,
  isAnswer: ({ choices }) => Array.isArray(choices),
  isFailure: (said) => hasError(said) || choicesOf(said).some(hasError),
  reported,
  written: (said) => messagesOf(said).map(writtenIn).join(""),
  hasMedia: (said) => mediaIn(messagesOf(said)),
  finished,
  whole: (answer, shaping) => {
    const { restore } = shaping
    const shaped = shapeAnswer(answer, shaping)
    return { ...(restore === undefined ? shaped : restoreAnswer(shaped, restore)), usage: printUsage(shaping.spent()) }
  },
  stream,
  refusal
}
