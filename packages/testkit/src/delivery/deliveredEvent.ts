/** A request that tells everything that can be told of one. */
import type { UsageEvent } from "@gatewarden/core/store"
import { emptyEvent } from "@gatewarden/conformance/internal/usage/emptyEvent"

/** As the core hands it to a renderer. */
export interface DeliveredEventFixture {
  readonly account_id: string
  readonly event: UsageEvent
  readonly api_key_name: string | null
  readonly input: unknown
  readonly output: unknown
}

export const usageEvent = (id: string, fields: Partial<UsageEvent> = {}): UsageEvent => ({
  ...emptyEvent,
  id,
  created_at: "2026-03-04T05:06:07.008Z",
  recorded_at: "2026-03-04T05:06:11.000Z",
  model: "anthropic/claude-sonnet-4.5",
  variant: "thinking",
  provider: "Anthropic",
  endpoint_tag: "anthropic/eu",
  api_key_hash: "3f5b7c1d9e",
  user_id: "member-1",
  external_user: "customer-7",
  app: "Editor",
  origin: "https://editor.example",
  country: "DE",
  session_id: "session-3",
  data_region: "europe",
  finish_reason: "tool_calls",
  byok: true,
  prompt_tokens: 120,
  completion_tokens: 30,
  reasoning_tokens: 10,
  cached_tokens: 20,
  cache_write_tokens: 30,
  tool_calls: 1,
  cost_nanos: 1_234_567n,
  byok_cost_nanos: 5n,
  cost_components: { usage_upstream: 1_000_000n },
  latency_ms: 250.5,
  generation_ms: 1500,
  input_modalities: ["text"],
  output_modalities: ["text"],
  category: "programming",
  language_type: "programming",
  classifiers: { topic: { kind: "billing" } },
  trace: {
    trace_id: "0af7651916cd43dd8448eb211c80319c",
    trace_name: "Answer a ticket",
    generation_name: "Draft",
    environment: "production",
    release: "v7",
    attempt: 2,
    nested: { a: [1] }
  },
  ...fields
})

const input = {
  model: "anthropic/claude-sonnet-4.5",
  temperature: 0.2,
  max_tokens: 100,
  stop: ["END"],
  tools: [{ type: "function", function: { name: "weather" } }],
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: [{ type: "text", text: "Weather in Köln?" }] },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call-1", type: "function", function: { name: "weather", arguments: '{"city":"Köln"}' } }]
    },
    { role: "tool", tool_call_id: "call-1", content: "rainy" }
  ]
}

const output = {
  id: "gen-1",
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Rain." } }]
}

export const deliveredEvent = (
  id: string,
  fields: Partial<UsageEvent> = {},
  bodies: { readonly input?: unknown; readonly output?: unknown } = { input, output }
): DeliveredEventFixture => ({
  account_id: "account-1",
  event: usageEvent(id, fields),
  api_key_name: "Production",
  input: bodies.input,
  output: bodies.output
})
