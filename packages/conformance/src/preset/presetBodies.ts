/** Chat completion requests: every bound (Rule: presets#chat-bodies), on both sides of each boundary. */

export const messages = [{ role: "user", content: "Hello" }] as const

const text = (length: number) => "🙂".repeat(length)
const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, "v"]))

const someTool = { type: "function", function: { name: "look_up", parameters: { type: "object" } } }

/** Fields that a preset keeps: values that are accepted and values that are not. `null` is told apart below. */
const kept: Readonly<Record<string, { readonly good: readonly unknown[]; readonly bad: readonly unknown[] }>> = {
  model: { good: ["openai/gpt-5", "@preset/other"], bad: [null, 5, ["a"]] },
  models: { good: [["a", "b"], []], bad: [null, "a", [1], [null]] },
  temperature: { good: [0, 2, 0.1], bad: [-0.01, 2.01, "1", true] },
  top_p: { good: [0, 1, 0.5], bad: [-0.01, 1.01, "1"] },
  top_k: { good: [0, 40, -1], bad: [1.5, "1"] },
  top_a: { good: [0.5, -3], bad: ["1"] },
  min_p: { good: [0.05, 2], bad: [[]] },
  frequency_penalty: { good: [-2, 2, 0], bad: [-2.01, 2.01] },
  presence_penalty: { good: [-2, 2, 0], bad: [-2.01, 2.01] },
  repetition_penalty: { good: [1, 1.1], bad: ["1"] },
  seed: { good: [0, -5, 2 ** 53 - 1], bad: [0.5, 2 ** 53, "1"] },
  stop: { good: ["END", ["a"], ["a", "b", "c", "d"], []], bad: [["a", "b", "c", "d", "e"], [1], 5, {}] },
  max_tokens: { good: [1, 16], bad: [1.5, "16"] },
  max_completion_tokens: { good: [1, 4096], bad: [1.5, "16"] },
  logit_bias: { good: [{ "50256": -100 }, {}], bad: [[], "x"] },
  logprobs: { good: [true, false], bad: ["true", 1] },
  top_logprobs: { good: [0, 20], bad: [-1, 21, 1.5] },
  response_format: { good: [{ type: "json_object" }], bad: [null, "json", []] },
  tools: { good: [[someTool], [{ type: "openrouter:web_search" }], []], bad: [null, {}, ["x"], [null], [[]]] },
  tool_choice: { good: ["none", "auto", { type: "function", function: { name: "x" } }], bad: [null, 5, [], true] },
  parallel_tool_calls: { good: [true, false], bad: ["true"] },
  stop_server_tools_when: {
    good: [[{ type: "step_count_is", step_count: 3 }], [{ type: "max_cost", max_cost_in_dollars: 1 }, { type: "x" }]],
    bad: [null, [], {}, [{}], ["x"], [{ type: 1 }]]
  },
  modalities: { good: [["text"], ["text", "image", "audio"], []], bad: [null, ["video"], "text"] },
  reasoning: {
    good: [{ effort: "high", summary: "auto" }, { max_tokens: 500 }, { effort: null }, {}],
    bad: [null, "high", [], { effort: "some" }]
  },
  reasoning_effort: { good: ["max", "xhigh", "high", "medium", "low", "minimal", "none"], bad: ["", "HIGH", 1] },
  provider: { good: [{ order: ["openai"], allow_fallbacks: false }, {}], bad: ["openai", []] },
  route: { good: ["fallback", "sort"], bad: ["other", 1] },
  plugins: { good: [[{ id: "web", max_results: 3 }], []], bad: [null, {}, ["web"]] },
  service_tier: { good: ["auto", "default", "flex", "priority", "scale", "fast"], bad: ["cheap", 1] },
  cache_control: { good: [{ type: "ephemeral", ttl: "1h" }], bad: [null, "ephemeral", {}, []] },
  image_config: { good: [{ aspect_ratio: "1:1" }, {}], bad: [null, []] }
}

/** Fields that belong to one request and are not kept. */
const passing: typeof kept = {
  stream: { good: [true, false], bad: [null, "true"] },
  stream_options: { good: [{ include_usage: true }, null], bad: ["x", []] },
  session_id: { good: ["", text(256)], bad: [text(257), null, 5] },
  debug: { good: [{ echo_upstream_body: true }, {}], bad: [null, true, { echo_upstream_body: "yes" }] },
  metadata: {
    good: [{}, pairs(16), { [text(64)]: text(512) }],
    bad: [null, [], pairs(17), { [text(65)]: "v" }, { k: text(513) }, { k: 1 }, { k: null }]
  },
  trace: {
    good: [
      { trace_id: "t", trace_name: "n", span_name: "s", generation_name: "g", parent_span_id: "p", mine: [1] },
      {}
    ],
    bad: [null, [], "t", { trace_id: 5 }, { parent_span_id: null }]
  },
  user: { good: ["user-1", ""], bad: [null, 5] },
  messages: {
    good: [
      [{ role: "system", content: "" }],
      [{ role: "developer", content: [{ type: "text", text: "a" }], name: "dev" }],
      [
        {
          role: "user",
          content: [
            { type: "text", text: "a" },
            { type: "image_url", image_url: { url: "x" } }
          ]
        }
      ],
      [{ role: "user", content: [] }],
      [
        { role: "assistant", content: null, tool_calls: [] },
        { role: "tool", content: "4", tool_call_id: "c" }
      ],
      [{ role: "assistant" }],
      [{ role: "user", content: "hi", name: "Ann", anything: { else: null } }]
    ],
    bad: [
      [],
      null,
      {},
      "hello",
      [null],
      [{}],
      [{ content: "x" }],
      [{ role: "function", content: "x" }],
      [{ role: "System", content: "x" }],
      [{ role: "user" }],
      [{ role: "user", content: null }],
      [{ role: "user", content: 5 }],
      [{ role: "system", content: {} }],
      [{ role: "user", content: "x", name: 5 }],
      [{ role: "user", content: ["x"] }],
      [{ role: "user", content: [{ text: "no type" }] }],
      [{ role: "system", content: [{ type: "text" }] }],
      [{ role: "system", content: [{ type: "text", text: 5 }] }]
    ]
  }
}

/** Kept fields whose `null` is as good as absent. */
export const nullable = [
  "temperature",
  "top_p",
  "top_k",
  "top_a",
  "min_p",
  "frequency_penalty",
  "presence_penalty",
  "repetition_penalty",
  "seed",
  "stop",
  "max_tokens",
  "max_completion_tokens",
  "logit_bias",
  "logprobs",
  "top_logprobs",
  "parallel_tool_calls",
  "reasoning_effort",
  "provider",
  "route",
  "service_tier"
] as const

/** Each accepted value of a kept field. */
export const keptValues = Object.entries(kept).flatMap(([field, { good }]) => good.map((value) => ({ field, value })))
/** Each accepted value of a field that is not kept. */
export const passingValues = Object.entries(passing).flatMap(([field, { good }]) =>
  good.map((value) => ({ field, value }))
)
/** Each value that is refused. */
export const refusedValues = Object.entries({ ...kept, ...passing }).flatMap(([field, { bad }]) =>
  bad.map((value) => ({ field, value }))
)

/** Every kept field at once, and every other one. */
export const everyKept = Object.fromEntries(
  Object.entries(kept).map(([field, { good }]) => [field, field === "reasoning" ? { summary: "auto" } : good[0]])
)
export const everyPassing = Object.fromEntries(Object.entries(passing).map(([field, { good }]) => [field, good[0]]))
