/** Anthropic's messages. */
import { ChatMessage, errorMessages, manyOf } from "@gatewarden/contract"
import { issuesOf } from "@gatewarden/core/effect"
import * as z from "zod"
import { answerJson } from "../Answer.ts"
import {
  countOf,
  type Dialect,
  eventOf,
  type Fields,
  fieldOf,
  hasError,
  isFields,
  keeping,
  mediaIn,
  onlyKnown,
  type Shaping,
  type StreamShape,
  textsIn
} from "./Dialect.ts"
import { printCost } from "./printUsage.ts"
import { notTaken, presetIssues, requestOf, settingsOf } from "./read.ts"
import { referencesInFields } from "./references.ts"
import { named, restorePieces, restoreTexts } from "./restoreTexts.ts"

const MessagesRequest = z.looseObject({
  ...requestOf,
  messages: manyOf(ChatMessage).min(1),
  system: z.union([z.string(), manyOf(z.looseObject({}))]).nullish(),
  max_tokens: z.int().min(1),
  ...settingsOf,
  top_k: z.int().nullish(),
  thinking: z.looseObject({ budget_tokens: z.int().nullish() }).nullish(),
  metadata: z.looseObject({ user_id: z.string().nullish() }).nullish()
})

const forwarded = keeping(
  new Set([
    "system",
    "tools",
    "tool_choice",
    "thinking",
    "temperature",
    "top_p",
    "top_k",
    "stop_sequences",
    "service_tier",
    "metadata",
    "cache_control",
    "context_management",
    "output_config",
    "output_format"
  ])
)

/** What the model would read without the gateway having seen it. */
const unseen = ["mcp_servers", "container"]

const read: Dialect["read"] = (sent) => {
  const parsed = MessagesRequest.safeParse(sent)
  if (!parsed.success) return issuesOf(MessagesRequest, parsed.error, sent)
  const { data: asked } = parsed
  const issues = [
    ...presetIssues(asked),
    ...unseen
      .filter((name) => asked[name] != null)
      .map((name) => notTaken(name, "The gateway would not see what the model reads from it")),
    ...referencesInFields(asked, ["messages", "system", "tools"])
  ]
  if (issues.length > 0) return { issues }
  const { model, models, provider, stream, user, session_id, messages, max_tokens, metadata } = asked
  return {
    decided: {
      messages,
      model,
      models,
      provider,
      stream,
      user: user ?? metadata?.user_id,
      session_id,
      max_completion_tokens: max_tokens
    },
    forwarded: forwarded(asked),
    form: {}
  }
}

const defaultVersion = "2023-06-01"

/** Betas that change the form of a request or an answer. Others bring prices or content that the gateway knows nothing of. */
const knownBetas =
  /^(?:claude-code|interleaved-thinking|fine-grained-tool-streaming|context-management|prompt-caching|extended-cache-ttl|token-efficient-tools|output-128k|structured-outputs|tool-search-tool|advanced-tool-use|tool-examples|effort)-[a-z0-9-]*$/

const headers: Dialect["headers"] = (key, client) => {
  const version = client["anthropic-version"]
  const betas = String(client["anthropic-beta"] ?? "")
    .split(",")
    .map((beta) => beta.trim())
    .filter((beta) => knownBetas.test(beta))
  return {
    "x-api-key": key,
    "anthropic-version": typeof version === "string" && /^\d{4}-\d\d-\d\d$/.test(version) ? version : defaultVersion,
    ...(betas.length === 0 ? {} : { "anthropic-beta": betas.join(",") })
  }
}

/** The least that Anthropic takes. */
const leastBudget = 1_024

/** A budget for thinking has to be below what may be written, which may be less than the client asked for. */
const thinkingFor = (thinking: unknown, cap: number | null): Fields => {
  const budget = countOf(fieldOf(thinking, "budget_tokens"))
  if (!isFields(thinking)) return {}
  if (budget === undefined || cap === null || budget < cap) return { thinking }
  return cap > leastBudget ? { thinking: { ...thinking, budget_tokens: cap - 1 } } : {}
}

const bodyFor: Dialect["bodyFor"] = ({ model, body: { thinking, ...body }, cap }) => ({
  ...body,
  ...thinkingFor(thinking, cap),
  model,
  ...(cap === null ? {} : { max_tokens: cap })
})

/**
 * Counts of what was read come with the first event of a stream, those of what was written with the last but one. Each counts all until
 * then, so that a zero replaces no earlier count.
 */
const reported: Dialect["reported"] = (said, before) => {
  const usage = said["usage"] ?? fieldOf(said["message"], "usage")
  if (!isFields(usage)) return undefined
  const count = (earlier: number | null | undefined, ...names: readonly string[]) => {
    const counted = countOf(fieldOf(usage, ...names))
    return counted === 0 && (earlier ?? 0) > 0 ? undefined : counted
  }
  const isStart = said["type"] === "message_start"
  const cachedBefore = (before.cached_tokens ?? 0) + (before.cache_write_tokens ?? 0)
  const inputBefore = before.prompt_tokens === undefined ? undefined : before.prompt_tokens - cachedBefore
  const input = count(inputBefore, "input_tokens")
  const read_from_cache = count(before.cached_tokens, "cache_read_input_tokens")
  const written_to_cache = count(before.cache_write_tokens, "cache_creation_input_tokens")
  const cached = (read_from_cache ?? before.cached_tokens ?? 0) + (written_to_cache ?? before.cache_write_tokens ?? 0)
  const uncached = input ?? inputBefore
  const isRead = [input, read_from_cache, written_to_cache].some((counted) => counted !== undefined)
  const for_an_hour = count(
    before.prompt_tokens_details?.cache_write_1h_tokens,
    "cache_creation",
    "ephemeral_1h_input_tokens"
  )
  const searches = count(before.server_tool_use?.web_search_requests, "server_tool_use", "web_search_requests")
  return onlyKnown({
    prompt_tokens: isRead && uncached !== undefined ? uncached + cached : undefined,
    completion_tokens: isStart ? undefined : count(before.completion_tokens, "output_tokens"),
    cached_tokens: read_from_cache,
    cache_write_tokens: written_to_cache,
    reasoning_tokens: count(before.reasoning_tokens, "output_tokens_details", "thinking_tokens"),
    prompt_tokens_details: for_an_hour === undefined ? undefined : { cache_write_1h_tokens: for_an_hour },
    server_tool_use: searches === undefined ? undefined : { web_search_requests: searches }
  })
}

/** OpenAI's words for it. */
const reasons: Readonly<Record<string, string>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  tool_use: "tool_calls",
  refusal: "content_filter"
}

/** As the upstream counted it, with what it cost. */
const withCost = (usage: unknown, { spent }: Shaping): Fields => {
  const { used, ...costs } = spent()
  return {
    input_tokens: used.prompt_tokens - (used.cached_tokens ?? 0) - (used.cache_write_tokens ?? 0),
    output_tokens: used.completion_tokens,
    ...(isFields(usage) ? usage : {}),
    ...printCost(costs, ["input", "output"])
  }
}

/** Of a delta, the member with a piece of text, and whether that is JSON. */
const pieceNames = [
  ["text", false],
  ["partial_json", true]
] as const

const stream = (shaping: Shaping): StreamShape => {
  const { restore } = shaping
  const pieces = restore && restorePieces(restore)
  let isOver = false
  const written = (event: Fields): string => eventOf(event, String(event["type"]))
  const shaped = (event: Fields): readonly Fields[] => {
    const { type, delta, content_block: block } = event
    const place = String(event["index"])
    if (type === "message_start" && isFields(event["message"]))
      return [{ ...event, message: named(event["message"], shaping) }]
    if (type === "message_delta") return [{ ...event, usage: withCost(event["usage"], shaping) }]
    if (pieces === undefined || restore === undefined) return [event]
    if (type === "content_block_stop") return [...pieces.end(place), event]
    if (type === "content_block_start" && isFields(block) && typeof block["text"] === "string") {
      // A placeholder may begin in what a block begins with.
      const begun = pieces.push(place, block["text"], false, (text) => ({
        type: "content_block_delta",
        index: event["index"],
        delta: { type: "text_delta", text }
      }))
      return [{ ...event, content_block: { ...block, text: "" } }, ...begun]
    }
    if (type === "content_block_delta" && isFields(delta))
      for (const [name, json] of pieceNames) {
        const piece = delta[name]
        if (typeof piece === "string")
          return pieces.push(place, piece, json, (text) => ({ ...event, delta: { ...delta, [name]: text } }))
      }
    return [restoreTexts(event, restore) as Fields]
  }
  return {
    push: (event) => {
      // An event of another API may be an error.
      if (typeof event["type"] !== "string") return []
      if (event["type"] !== "message_stop") return shaped(event).map(written)
      isOver = true
      return []
    },
    isWhole: () => isOver,
    isLast: () => isOver,
    end: () => (pieces?.endAll() ?? []).map(written),
    done: () => written({ type: "message_stop" }),
    broken: () => written({ type: "error", error: { type: "api_error", message: errorMessages[502] } })
  }
}

/** What Anthropic calls the kinds of errors. */
const errorTypes: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  503: "overloaded_error"
}

export const messages: Dialect = {
  name: "messages",
  path: "/messages",
  read,
  forwarded,
  headers,
  bodyFor,
  isAnswer: ({ content }) => Array.isArray(content),
  isFailure: (said) => said["type"] === "error" || hasError(said),
  reported,
  written: ({ delta, content, content_block }) => textsIn([delta, content, content_block]).join(""),
  hasMedia: ({ delta, content, content_block }) => mediaIn([delta, content, content_block]),
  finished: (said) => {
    const reason = said["stop_reason"] ?? fieldOf(said["delta"], "stop_reason")
    return typeof reason === "string" ? (reasons[reason] ?? reason) : undefined
  },
  whole: (answer, shaping) => ({ ...named(answer, shaping), usage: withCost(answer["usage"], shaping) }),
  stream,
  refusal: (status, message, metadata, sent) =>
    answerJson(
      status,
      {
        type: "error",
        error: { type: errorTypes[status] ?? "api_error", code: status, message, metadata },
        request_id: metadata["request_id"]
      },
      sent
    )
}
