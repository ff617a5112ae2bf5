import type { UsageEvent } from "../ports/usage.ts"

/** A request of which nobody reported anything: it used nothing and cost nothing. */
export const emptyEvent: Omit<
  UsageEvent,
  "id" | "workspace_id" | "created_at" | "recorded_at" | "model" | "provider" | "self_reported"
> = {
  variant: "",
  endpoint_tag: null,
  api_key_hash: null,
  user_id: null,
  external_user: null,
  app: null,
  origin: null,
  app_categories: null,
  country: null,
  session_id: null,
  data_region: null,
  status: "ok",
  finish_reason: null,
  byok: false,
  guardrail_invoked: false,
  response_cached: false,
  prompt_tokens: 0,
  completion_tokens: 0,
  reasoning_tokens: 0,
  cached_tokens: 0,
  cache_write_tokens: 0,
  tool_calls: 0,
  context_length_bucket: "1K",
  cost_nanos: 0n,
  byok_cost_nanos: 0n,
  cost_components: {},
  latency_ms: null,
  generation_ms: null,
  throughput: null,
  input_modalities: null,
  output_modalities: null,
  category: null,
  language_type: null,
  sample_weight: 1,
  classifiers: null,
  trace: null
}
