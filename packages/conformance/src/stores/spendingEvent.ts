/** A recorded request of which only the spending matters. */
import type { UsageEvent } from "@gatewarden/core/effect"

type Named = "id" | "created_at" | "workspace_id" | "api_key_hash" | "user_id"

export const spendingEvent = (fields: Partial<UsageEvent> & Pick<UsageEvent, Named>): UsageEvent => ({
  recorded_at: fields.created_at,
  model: "acme/sonnet",
  variant: "",
  provider: "acme",
  endpoint_tag: null,
  external_user: null,
  app: null,
  origin: null,
  country: null,
  session_id: null,
  data_region: null,
  status: "ok",
  finish_reason: null,
  byok: false,
  guardrail_invoked: false,
  response_cached: false,
  prompt_tokens: 1,
  completion_tokens: 1,
  reasoning_tokens: 0,
  cached_tokens: 0,
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
  trace: null,
  ...fields
})
