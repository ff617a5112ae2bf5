import type { Generation } from "@gatewarden/contract"
import { Option } from "effect"
import type { Caller } from "../../access/Caller.ts"
import { reachesWorkspace } from "../../access/restrictions.ts"
import { notFoundAt } from "../../value/failure.ts"
import { joinVariant } from "../../catalog/resolveModelName.ts"
import { operation } from "../../tracing/operation.ts"
import { usdNumber } from "../../value/money.ts"
import { Generations, type RecordedGeneration } from "../../ports/usage.ts"

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
