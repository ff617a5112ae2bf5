/**
 * What PostHog and Datadog show of requests of each kind, as their own code reads what arrives.
 *
 * Source: PostHog/posthog (`llmAnalyticsTraceDataLogic.ts`, `nodejs/src/ingestion/ai`), dd-trace 6.21.0 (`packages/dd-trace/src/llmobs`)
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { usageEvent } from "@gatewarden/testkit/delivery/deliveredEvent"
import { posthog } from "../../core/src/delivery/types/posthog.ts"
import { datadog } from "../../core/src/delivery/types/datadog.ts"
import type { DeliveredEvent } from "../../core/src/delivery/rendering/Renderer.ts"
import type { UsageEvent } from "../../core/src/ports/usage.ts"

type Fields = Readonly<Record<string, unknown>>

interface PosthogEvent {
  readonly event: string
  readonly properties: Fields
}

interface DatadogBody {
  readonly data: { readonly attributes: { readonly spans: readonly DatadogSpan[] } }
}

interface DatadogSpan {
  readonly parent_id: string
  readonly tags: readonly string[]
  readonly status: string
  readonly metrics: Fields
  readonly meta: {
    readonly kind: string
    readonly input: {
      readonly value?: string
      readonly documents?: readonly unknown[]
      readonly messages?: readonly { readonly content: string }[]
    }
    readonly output: { readonly value?: string }
    readonly metadata: Fields
    readonly error?: { readonly type: string }
  }
}

const all = { cost: true, identity: true, request_context: true }
const now = Date.parse("2026-03-04T05:07:00Z")

const chat = {
  messages: [{ role: "user", content: "Weather in Köln?" }],
  temperature: 0.2,
  max_tokens: 100,
  stream: true,
  tools: [{ type: "function", function: { name: "weather" } }]
}
const answer = {
  choices: [
    {
      message: {
        role: "assistant",
        content: "Let me look.",
        tool_calls: [{ id: "call-1", type: "function", function: { name: "weather", arguments: '{"city":"Köln"}' } }]
      },
      finish_reason: "tool_calls"
    }
  ]
}

const delivered = (fields: Partial<UsageEvent> = {}, input: unknown = chat, output: unknown = answer) =>
  ({ account_id: "account", api_key_name: "prod", event: usageEvent("gen-1", fields), input, output }) as DeliveredEvent

const embedding = () => delivered({ output_modalities: ["embeddings"] }, { input: ["a", "b"] }, null)

const bodyOf = <Body>(requests: readonly { readonly body: Uint8Array }[]): Body =>
  JSON.parse(new TextDecoder().decode(requests[0]?.body)) as Body

describe("PostHog", () => {
  const config = { apiKey: "phc_1", endpoint: "https://us.i.posthog.com" }
  const shown = (event: DeliveredEvent) =>
    Effect.map(
      posthog.render(config, [event], all, now),
      (requests) => bodyOf<{ readonly batch: readonly [PosthogEvent] }>(requests).batch[0]
    )

  it.effect("shows each event as a root of its trace, whatever the caller names above it", () =>
    Effect.gen(function* () {
      const parent_span_id = "00f067aa0ba902b7"
      for (const trace of [null, { span_name: "Step" }, { parent_span_id }, { span_name: "Step", parent_span_id }]) {
        const { properties } = yield* shown(delivered({ trace }))
        // `restoreTree`: the parent is `$ai_parent_id`, otherwise the trace, and an unknown parent hides the event.
        assert.notProperty(properties, "$ai_parent_id")
        assert.strictEqual(properties["span_name"], trace?.span_name)
      }
    })
  )

  it.effect("counts cached tokens once, with cost and the generation's id", () =>
    Effect.gen(function* () {
      const cached = { prompt_tokens: 20_000, cached_tokens: 18_000, cache_write_tokens: 500 }
      const { event, properties } = yield* shown(delivered(cached))
      assert.strictEqual(event, "$ai_generation")
      assert.deepInclude(properties, {
        $ai_input_tokens: 20_000,
        $ai_cache_read_input_tokens: 18_000,
        $ai_cache_creation_input_tokens: 500,
        $ai_cache_reporting_exclusive: false,
        $ai_reasoning_tokens: 10,
        $ai_total_cost_usd: 0.001234572,
        "gatewarden.byok": true,
        "gatewarden.cost.byok": 0.000000005,
        generation_id: "gen-1",
        $ai_is_error: false
      })
    })
  )

  it.effect("has parameters under their names, tools, and calls of tools", () =>
    Effect.gen(function* () {
      const { properties } = yield* shown(delivered())
      assert.deepStrictEqual(properties["$ai_model_parameters"], { temperature: 0.2, max_tokens: 100, stream: true })
      assert.deepStrictEqual(properties["$ai_tools"], chat.tools)
      assert.deepStrictEqual(properties["$ai_input"], [{ role: "user", content: "Weather in Köln?" }])
      const call = { type: "function", id: "call-1", function: { name: "weather", arguments: { city: "Köln" } } }
      assert.deepStrictEqual(properties["$ai_output_choices"], [
        { role: "assistant", content: [{ type: "text", text: "Let me look." }, call] }
      ])
    })
  )

  it.effect("shows embeddings, errors and requests without bodies as such", () =>
    Effect.gen(function* () {
      const embedded = yield* shown(embedding())
      assert.strictEqual(embedded.event, "$ai_embedding")
      assert.notProperty(embedded.properties, "$ai_output_choices")
      for (const status of ["error", "cancelled", "blocked", "rate_limited"] as const) {
        const { properties } = yield* shown(delivered({ status, finish_reason: null }, chat, null))
        assert.deepInclude(properties, { $ai_is_error: true, $ai_error: status })
        assert.notProperty(properties, "$ai_stop_reason")
      }
      const { properties } = yield* shown(delivered({ trace: { tags: ["a"] } }, null, null))
      assert.notProperty(properties, "$ai_input")
      assert.deepStrictEqual(properties["metadata_tags"], ["a"])
      assert.strictEqual(properties["$ai_input_tokens"], 120)
    })
  )
})

describe("Datadog", () => {
  const config = { apiKey: "dd", mlApp: "app", url: "https://api.us5.datadoghq.com" }
  const shown = (event: DeliveredEvent) =>
    Effect.map(datadog.render(config, [event], all, now), (requests) =>
      requests.length === 0 ? [] : bodyOf<DatadogBody>(requests).data.attributes.spans
    )

  it.effect("has parameters under their names, tags, cost and every count", () =>
    Effect.gen(function* () {
      const [span] = yield* shown(delivered({ trace: { tags: ["env:prod", "beta"] } }))
      assert.deepInclude(span?.meta.metadata ?? {}, {
        temperature: 0.2,
        max_tokens: 100,
        model_name: "anthropic/claude-sonnet-4.5:thinking",
        // As dd-trace writes it.
        model_provider: "anthropic"
      })
      assert.deepStrictEqual(span?.tags, ["user_id:customer-7", "env:prod", "tag:beta", "topic.kind:billing"])
      assert.deepInclude(span?.metrics ?? {}, {
        input_tokens: 120,
        cache_read_input_tokens: 20,
        cache_write_input_tokens: 30,
        reasoning_output_tokens: 10,
        total_cost: 0.001234572
      })
      assert.strictEqual(span?.meta.metadata["gatewarden.cost.byok"], 0.000000005)
    })
  )

  it.effect("shows input and output at the root, embeddings as documents, and errors as errors", () =>
    Effect.gen(function* () {
      const [root] = yield* shown(delivered({ trace: { span_name: "Step" } }))
      assert.strictEqual(root?.parent_id, "undefined")
      assert.deepStrictEqual(root?.meta.input, { value: "Weather in Köln?" })
      assert.include(root?.meta.output.value ?? "", "Let me look.")
      const [embedded] = yield* shown(embedding())
      assert.strictEqual(embedded?.meta.kind, "embedding")
      assert.isArray(embedded?.meta.input.documents)
      for (const status of ["error", "cancelled", "blocked"] as const) {
        const [failed] = yield* shown(delivered({ status, finish_reason: null }, chat, null))
        assert.strictEqual(failed?.status, "error")
        assert.strictEqual(failed?.meta.error?.type, status)
      }
    })
  )

  it.effect("takes events of 5 MiB with their bodies", () =>
    Effect.gen(function* () {
      const [large] = yield* shown(delivered({}, { messages: [{ role: "user", content: "x".repeat(4_000_000) }] }))
      assert.strictEqual(large?.meta.input.messages?.[0]?.content.length, 4_000_000)
    })
  )

  it.effect("sends no span that it would drop, and says why", () =>
    Effect.gen(function* () {
      const old = delivered({ created_at: "2026-03-03T05:06:59Z" })
      assert.deepStrictEqual(yield* shown(old), [])
      assert.match(datadog.refusal?.(old, now) ?? "", /^too_old: /)
      assert.isUndefined(datadog.refusal?.(delivered(), now))
    })
  )
})
