import type { Generation, GenerationContent, SubmitGenerationFeedback } from "@gatewarden/contract/internal"
import { Option, Redacted } from "effect"
import { type Caller, reachedWorkspaces, reachesWorkspace } from "../../access/Caller.ts"
import { joinVariant } from "../../catalog/modelNames.ts"
import { outputMessages } from "../../delivery/rendering/messages.ts"
import { Generations, type RecordedGeneration } from "../../ports/usage.ts"
import { type Bodies, openContent, contextOfContent } from "../../prompt/sealBodies.ts"
import { operation } from "../../tracing/operation.ts"
import { timestamp } from "../../value/calendar.ts"
import { notFoundAt } from "../../value/failure.ts"
import { usdNumber } from "../../value/money.ts"

/** Rule: usage#generations. A key learns nothing of events in workspaces that it does not reach, not even that they exist. */
export const getGeneration = operation("getGeneration")(function* (caller: Caller, id: string) {
  const found = Option.getOrUndefined(yield* (yield* Generations).find(caller.account_id, id))
  if (found === undefined || (caller.workspace_id ?? found.workspace_id) !== found.workspace_id)
    return yield* notFoundAt("query.id", "generation")
  if (!reachesWorkspace(caller, found.workspace_id)) return yield* notFoundAt("query.id", "generation")
  return printGeneration(found)
})

const printGeneration = (event: RecordedGeneration): Generation => ({
  api_type: null,
  app_id: null,
  cache_discount: null,
  cancelled: event.status === "cancelled",
  created_at: event.created_at,
  data_region: event.data_region ?? "global",
  external_user: event.external_user,
  feedback: event.feedback,
  finish_reason: event.finish_reason,
  generation_time: event.generation_ms,
  http_referer: null,
  id: event.id,
  is_byok: event.byok,
  latency: event.latency_ms,
  model: joinVariant({ slug: event.model, variant: event.variant }),
  moderation_latency: null,
  native_finish_reason: null,
  native_tokens_cached: event.cached_tokens,
  native_tokens_completion: event.completion_tokens,
  native_tokens_completion_images: null,
  native_tokens_prompt: event.prompt_tokens,
  native_tokens_reasoning: event.reasoning_tokens,
  num_fetches: null,
  num_input_audio_prompt: null,
  num_media_completion: null,
  num_media_prompt: null,
  num_search_results: null,
  origin: event.origin ?? "",
  preset_id: null,
  provider_name: event.provider,
  provider_responses: null,
  request_id: null,
  response_cache_source_id: null,
  router: null,
  service_tier: null,
  session_id: event.session_id,
  streamed: null,
  tokens_completion: event.completion_tokens,
  tokens_prompt: event.prompt_tokens,
  total_cost: usd(event.cost_nanos + event.byok_cost_nanos),
  upstream_id: null,
  upstream_inference_cost: upstreamCost(event),
  usage: usd(event.cost_nanos),
  user_agent: null,
  web_search_engine: null,
  workspace_id: event.workspace_id
})

const upstreamCost = ({ usage_upstream_nanos, byok, byok_cost_nanos }: RecordedGeneration): number | null =>
  usage_upstream_nanos !== null ? usd(usage_upstream_nanos) : byok ? usd(byok_cost_nanos) : null

const usd = usdNumber

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value])

/** Where requests of the APIs have what they send. */
const places = ["messages", "input", "prompt"]

const inputOf = (input: unknown): GenerationContent["input"] => {
  if (input === undefined || input === null) return { messages: [] }
  if (typeof input === "string") return { prompt: input }
  if (!isFields(input)) return { messages: [...listed(input)] }
  const sent = places.map((name) => input[name]).find((value) => value !== undefined && value !== null)
  if (sent === undefined) return { messages: [input] }
  const system = input["system"] ?? input["instructions"]
  if (system === undefined || system === null)
    return typeof sent === "string" ? { prompt: sent } : { messages: [...listed(sent)] }
  const messages = typeof sent === "string" ? [{ role: "user", content: sent }] : listed(sent)
  return { messages: [{ role: "system", content: system }, ...messages] }
}

const asText = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""))

const joined = (texts: readonly string[]): string | null => (texts.length === 0 ? null : texts.join("\n"))

/** Calls of tools are their JSON, where the model wrote nothing else. */
const outputOf = (output: unknown): GenerationContent["output"] => {
  const parts = (outputMessages(output, "unknown") ?? []).flatMap((message) => message.parts)
  const contents = (type: string) => parts.filter((part) => part.type === type).map((part) => asText(part["content"]))
  const others = parts.filter(({ type }) => type !== "text" && type !== "reasoning")
  return {
    completion: joined(contents("text")) ?? joined(others.map((part) => JSON.stringify(part))),
    reasoning: joined(contents("reasoning"))
  }
}

/**
 * Kept bodies in the shape of the public API. Bodies are what the data plane reported, in the format of any API.
 *
 * Rule: usage#prompt-logging.
 */
export const printedContent = ({ input, output }: Bodies): GenerationContent => ({
  error: null,
  input: inputOf(input),
  output: outputOf(output)
})

/** Rule: usage#prompt-logging. Unknown, of another account, and never kept are one answer. */
export const getGenerationContent = operation("getGenerationContent")(function* ({ account_id }: Caller, id: string) {
  const kept = Option.getOrUndefined(yield* (yield* Generations).findContent(account_id, id))
  if (kept === undefined) return yield* notFoundAt("query.id", "generation")
  const bodies = yield* openContent(kept.sealed_bodies, contextOfContent(account_id, kept.workspace_id, id))
  return printedContent(Redacted.value(bodies))
})

/** Rule: usage#feedback. */
export const submitGenerationFeedback = operation("submitGenerationFeedback")(function* (
  caller: Caller,
  { generation_id, category, comment }: SubmitGenerationFeedback
) {
  const generations = yield* Generations
  if (reachedWorkspaces(caller) !== undefined) {
    // An event stays in its workspace, so that it may be looked at before.
    const found = yield* generations.find(caller.account_id, generation_id)
    if (Option.isNone(found) || !reachesWorkspace(caller, found.value.workspace_id))
      return yield* notFoundAt("generation_id", "generation")
  }
  const feedback = { category, comment: comment ?? null, given_at: yield* timestamp }
  const isKept = yield* generations.keepFeedback(caller.account_id, generation_id, feedback)
  return isKept ? { success: true as const } : yield* notFoundAt("generation_id", "generation")
})
