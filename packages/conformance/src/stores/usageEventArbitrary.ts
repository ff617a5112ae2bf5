/** Usage events as a store gets them, random in what rankings and endpoint statistics look at. */
import type { UsageEvent } from "@gatewarden/core/effect"
import * as fc from "fast-check"

/** An event that says nothing. */
export const nothing: Omit<UsageEvent, "id" | "created_at" | "model" | "recorded_at"> = {
  workspace_id: "6f1b1c9e-5a0e-4d43-8d4c-0d3d8f6f2a10",
  variant: "",
  provider: "acme",
  endpoint_tag: null,
  api_key_hash: null,
  user_id: null,
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
  prompt_tokens: 0,
  completion_tokens: 0,
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
  trace: null
}

/** Fields of events; the others are those of an event that says nothing. */
export const usageEventArbitrary = (
  fields: { readonly [Field in keyof UsageEvent]?: fc.Arbitrary<UsageEvent[Field]> } & {
    readonly created_at: fc.Arbitrary<string>
    readonly recorded_at: fc.Arbitrary<string>
    readonly model: fc.Arbitrary<string>
  }
): fc.Arbitrary<UsageEvent> =>
  fc
    .tuple(fc.uuid(), fc.record(fields as Record<string, fc.Arbitrary<unknown>>))
    .map(([id, chosen]) => ({ ...nothing, id, ...chosen }) as UsageEvent)
