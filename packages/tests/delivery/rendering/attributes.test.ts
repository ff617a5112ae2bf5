/** What a request tells, by the names that OpenTelemetry publishes. */
import { assert, describe, it } from "@effect/vitest"
import * as conventions from "@opentelemetry/semantic-conventions/incubating"
import { Effect, Redacted } from "effect"
import { deliveredEvent } from "@gatewarden/testkit/delivery/deliveredEvent"
import { readSpans } from "@gatewarden/testkit/delivery/platforms/readSpans"
import type { DeliveredEvent, IncludedMetadata } from "../../../core/src/delivery/rendering/Renderer.ts"
import { otelCollector } from "../../../core/src/delivery/types/otlpTypes.ts"

const everything = { cost: true, identity: true, request_context: true }
const nothing = { cost: false, identity: false, request_context: false }

const spansOf = (event: DeliveredEvent, include: IncludedMetadata = nothing) =>
  Effect.map(otelCollector.render({ endpoint: "https://otel.example" }, [event], include, 0), (requests) =>
    requests.flatMap(({ headers, body }) => readSpans(Redacted.value(headers)["content-type"], body))
  )

const attributesOf = (event: DeliveredEvent, include: IncludedMetadata = nothing) =>
  Effect.map(spansOf(event, include), (spans) => spans.at(-1)?.attributes ?? {})

/**
 * Names of the conventions that the package lacks, since they have a repository of their own.
 *
 * Source: https://github.com/open-telemetry/semantic-conventions-genai/blob/v0.1.0/docs/gen-ai/client-inference.md
 */
const publishedSince = [
  "gen_ai.request.reasoning.level",
  "gen_ai.request.stream",
  "gen_ai.usage.cache_write.input_tokens"
]

describe("the attributes of a model call", () => {
  it.effect("are all of them, of a request that tells everything", () =>
    Effect.gen(function* () {
      const {
        "gen_ai.input.messages": input,
        "gen_ai.output.messages": output,
        ...rest
      } = yield* attributesOf(deliveredEvent("gen-1"), everything)
      assert.deepEqual(rest, {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "anthropic",
        "gen_ai.system": "anthropic",
        "gen_ai.request.model": "anthropic/claude-sonnet-4.5:thinking",
        "gen_ai.response.model": "anthropic/claude-sonnet-4.5",
        "gen_ai.response.id": "gen-1",
        "gen_ai.usage.input_tokens": 120,
        "gen_ai.usage.output_tokens": 30,
        "gen_ai.usage.total_tokens": 150,
        "gen_ai.usage.cache_read.input_tokens": 20,
        "gen_ai.usage.cache_write.input_tokens": 30,
        "gen_ai.usage.cache_creation.input_tokens": 30,
        "gen_ai.usage.reasoning.output_tokens": 10,
        "gen_ai.response.finish_reason": "tool_calls",
        "gen_ai.response.finish_reasons": ["tool_calls"],
        "gen_ai.response.time_to_first_chunk": 0.2505,
        "gen_ai.conversation.id": "session-3",
        "session.id": "session-3",
        "user.id": "customer-7",
        "trace.name": "Answer a ticket",
        "trace.metadata.environment": "production",
        "trace.metadata.release": "v7",
        "trace.metadata.attempt": 2,
        "trace.metadata.nested": '{"a":[1]}',
        "gen_ai.usage.cost": 0.001234572,
        "gatewarden.byok": true,
        "gatewarden.cost.charged": 0.001234567,
        "gatewarden.cost.byok": 5e-9,
        "gatewarden.cost.usage_upstream": 0.001,
        "gatewarden.workspace.id": "6f1b1c9e-5a0e-4d43-8d4c-0d3d8f6f2a10",
        "gatewarden.user.id": "member-1",
        "gatewarden.api_key.hash": "3f5b7c1d9e",
        "gatewarden.api_key.name": "Production",
        "gatewarden.app": "Editor",
        "gatewarden.origin": "https://editor.example",
        "gatewarden.country": "DE",
        "gatewarden.data_region": "europe",
        "gatewarden.endpoint": "anthropic/eu",
        "gatewarden.guardrail_invoked": false,
        "gatewarden.response_cached": false,
        "gatewarden.tool_calls": 1,
        "gatewarden.input_modalities": ["text"],
        "gatewarden.output_modalities": ["text"],
        "gatewarden.category": "programming",
        "gatewarden.language_type": "programming",
        "gatewarden.classifier.topic.kind": "billing",
        "gen_ai.request.temperature": 0.2,
        "gen_ai.request.max_tokens": 100,
        "gen_ai.request.stop_sequences": ["END"],
        "gen_ai.tool.definitions": '[{"type":"function","function":{"name":"weather"}}]'
      })
      assert.strictEqual(JSON.parse(String(input)).length, 4)
      assert.strictEqual(JSON.parse(String(output)).length, 1)
    })
  )

  it.effect("are named as OpenTelemetry names them, but for those of the public API's guides", () =>
    Effect.gen(function* () {
      const published = new Set<unknown>([...Object.values(conventions), ...publishedSince])
      const names = Object.keys(yield* attributesOf(deliveredEvent("gen-1", { status: "error" }), everything))
      assert.deepEqual(
        names.filter((name) => !published.has(name) && !/^(?:gatewarden|trace\.(?:metadata|name))\b/.test(name)),
        ["gen_ai.usage.total_tokens", "gen_ai.response.finish_reason", "gen_ai.usage.cost"]
      )
      assert.include(names, conventions.ATTR_ERROR_TYPE)
    })
  )

  it.effect("are the parameters of the request, by the names and types of the conventions", () =>
    Effect.gen(function* () {
      const published = new Set<unknown>([...Object.values(conventions), ...publishedSince])
      for (const [input, expected] of [
        [
          { stream: true, n: 3, top_k: 40 },
          { stream: true, "choice.count": 3, top_k: 40 }
        ],
        [{ stream: false, n: 1, top_k: 0.5 }, {}],
        [{ reasoning_effort: "low" }, { "reasoning.level": "low" }],
        [{ reasoning: { effort: "high" } }, { "reasoning.level": "high" }],
        [{ output_config: { effort: "max" } }, { "reasoning.level": "max" }],
        [{ reasoning: { effort: 7 }, reasoning_effort: null }, {}]
      ] as const) {
        const attributes = yield* attributesOf(deliveredEvent("gen-1", {}, { input }))
        const own = Object.entries(attributes).filter(
          ([name]) => name.startsWith("gen_ai.request.") && name !== "gen_ai.request.model"
        )
        const named = Object.entries(expected).map(([name, value]) => [`gen_ai.request.${name}`, value])
        assert.deepEqual(Object.fromEntries(own), Object.fromEntries(named))
        for (const [name] of own) assert.isTrue(published.has(name), name)
      }
    })
  )

  it.effect("tell the type of output that the request asks for", () =>
    Effect.gen(function* () {
      for (const [input, type] of [
        [{ response_format: { type: "json_schema", json_schema: {} } }, "json"],
        [{ response_format: { type: "json_object" } }, "json"],
        [{ text: { format: { type: "text" } } }, "text"],
        [{ response_format: "json" }, undefined],
        [{}, undefined]
      ] as const) {
        const attributes = yield* attributesOf(deliveredEvent("gen-1", {}, { input }))
        assert.strictEqual(attributes["gen_ai.output.type"], type)
      }
    })
  )

  it.effect("name the guardrail that refused, and tags of the trace once", () =>
    Effect.gen(function* () {
      const guardrail_id = "ded01a3f-c4cc-577a-8dcd-824fa38f35e0"
      const classifiers = { "trace.tags": { batch: "true" }, topic: { kind: "billing" } }
      const event = deliveredEvent("gen-1", { status: "blocked", guardrail_id, classifiers })
      const attributes = yield* attributesOf(event, everything)
      assert.strictEqual(attributes["gatewarden.guardrail.id"], guardrail_id)
      assert.strictEqual(attributes["error.type"], "blocked")
      assert.deepEqual(
        Object.keys(attributes).filter((name) => name.startsWith("gatewarden.classifier.")),
        ["gatewarden.classifier.topic.kind"]
      )
      assert.notProperty(yield* attributesOf(event), "gatewarden.guardrail.id")
    })
  )

  it.effect("print amounts as their exact decimals", () =>
    Effect.gen(function* () {
      for (const [nanos, amount] of [
        [0n, 0],
        [1n, 1e-9],
        [100_000_000n, 0.1],
        [8_388_607_999_999_999n, 8_388_607.999999999],
        [999_999_999_123_456_789n, "999999999.123456789"]
      ] as const) {
        const attributes = yield* attributesOf(
          deliveredEvent("gen-1", { cost_nanos: nanos, byok_cost_nanos: 0n }),
          everything
        )
        assert.strictEqual(attributes["gen_ai.usage.cost"], amount)
      }
    })
  )

  it.effect("name well-known providers by the conventions, and others as recorded", () =>
    Effect.gen(function* () {
      const published = Object.entries(conventions)
        .filter(([name]) => name.startsWith("GEN_AI_PROVIDER_NAME_VALUE_"))
        .map(([, value]) => value as string)
        // Since the conventions have a repository of their own.
        .concat("moonshot_ai")
      for (const [provider, name] of [
        ["OpenAI", "openai"],
        ["Amazon Bedrock", "aws.bedrock"],
        ["Google AI Studio", "gcp.gemini"],
        ["google-vertex", "gcp.vertex_ai"],
        ["Mistral", "mistral_ai"],
        ["xAI", "x_ai"],
        ["moonshotai", "moonshot_ai"],
        ["Azure", "azure.ai.openai"]
      ] as const) {
        assert.include(published, name)
        const attributes = yield* attributesOf(deliveredEvent("gen-1", { provider }))
        assert.strictEqual(attributes["gen_ai.provider.name"], name)
      }
      const other = yield* attributesOf(deliveredEvent("gen-1", { provider: "Together & Co" }))
      assert.strictEqual(other["gen_ai.provider.name"], "Together & Co")
    })
  )

  it.effect("tell the operation by the modality and the body", () =>
    Effect.gen(function* () {
      const operation = (event: DeliveredEvent) =>
        Effect.map(attributesOf(event), (attributes) => attributes["gen_ai.operation.name"])
      assert.strictEqual(yield* operation(deliveredEvent("a", {}, { input: { prompt: "x" } })), "text_completion")
      assert.strictEqual(yield* operation(deliveredEvent("a", { output_modalities: ["embeddings"] })), "embeddings")
      assert.strictEqual(yield* operation(deliveredEvent("a", {}, {})), "chat")
    })
  )
})

describe("ids", () => {
  const ids = (event: DeliveredEvent) =>
    Effect.map(spansOf(event), (spans) =>
      spans.map(({ traceId, spanId, parentSpanId }) => ({ traceId, spanId, parentSpanId }))
    )

  it.effect("are those that were sent before this version", () =>
    Effect.gen(function* () {
      assert.deepEqual(yield* ids(deliveredEvent("gen-1", { trace: { trace_id: "ticket 7", span_name: "Plan" } })), [
        { traceId: "a50621d5c7dfaebde88e8a327a07ae06", spanId: "387d15555c106ce9", parentSpanId: "" },
        { traceId: "a50621d5c7dfaebde88e8a327a07ae06", spanId: "aa27df5ebfef7d36", parentSpanId: "387d15555c106ce9" }
      ])
    })
  )

  it.effect("of traces are the caller's, or of its text, or of the event", () =>
    Effect.gen(function* () {
      const traceOf = (id: string, trace: Readonly<Record<string, unknown>> | null, account_id = "account-1") =>
        Effect.map(ids({ ...deliveredEvent(id, { trace }), account_id }), ([span]) => span?.traceId)
      const own = "0af7651916cd43dd8448eb211c80319c"
      assert.strictEqual(yield* traceOf("a", { trace_id: own }), own)
      assert.strictEqual(yield* traceOf("a", { trace_id: own.toUpperCase() }), own)
      assert.strictEqual(yield* traceOf("a", { trace_id: "t" }), yield* traceOf("b", { trace_id: "t" }))
      assert.notStrictEqual(yield* traceOf("a", { trace_id: "t" }), yield* traceOf("a", { trace_id: "u" }))
      assert.notStrictEqual(yield* traceOf("a", { trace_id: "t" }), yield* traceOf("a", { trace_id: "t" }, "account-2"))
      assert.strictEqual(yield* traceOf("a", null), yield* traceOf("a", {}))
      assert.notStrictEqual(yield* traceOf("a", null), yield* traceOf("b", null))
      assert.notStrictEqual(yield* traceOf("a", null), yield* traceOf("a", null, "account-2"))
      assert.notStrictEqual(yield* traceOf("a", { trace_id: "0".repeat(32) }), "0".repeat(32))
    })
  )

  it.effect("of parents are linked if they can be, and kept as metadata otherwise", () =>
    Effect.gen(function* () {
      const [linked] = yield* ids(deliveredEvent("a", { trace: { parent_span_id: "00F067AA0BA902B7" } }))
      assert.strictEqual(linked?.parentSpanId, "00f067aa0ba902b7")
      for (const parent_span_id of ["0".repeat(16), "step-1", 7]) {
        const [span] = yield* spansOf(deliveredEvent("a", { trace: { parent_span_id } }))
        assert.strictEqual(span?.parentSpanId, "")
        assert.strictEqual(span?.attributes["trace.metadata.parent_span_id"], parent_span_id)
      }
    })
  )
})

describe("names and times", () => {
  const named = (trace: Readonly<Record<string, unknown>> | null) =>
    Effect.map(spansOf(deliveredEvent("a", { trace })), (spans) => spans.map(({ name }) => name))

  it.effect("of a root is the generation's, else the trace's, else the model's", () =>
    Effect.gen(function* () {
      const model = "anthropic/claude-sonnet-4.5"
      assert.deepEqual(yield* named(null), [model])
      assert.deepEqual(yield* named({ trace_name: "T" }), ["T"])
      assert.deepEqual(yield* named({ trace_name: "T", generation_name: "G" }), ["G"])
      assert.deepEqual(yield* named({ trace_name: "T", span_name: "S" }), ["S", model])
      assert.deepEqual(yield* named({ trace_name: "T", parent_span_id: "00f067aa0ba902b7" }), [model])
      assert.deepEqual(yield* named({ trace_name: 7, span_name: "", generation_name: "n".repeat(1025) }), [model])
    })
  )

  it.effect("are from the begin of the request to the end of its completion, and never in the future", () =>
    Effect.gen(function* () {
      for (const [latency_ms, generation_ms, nanos] of [
        [null, null, 0n],
        [250.5, null, 250_500_000n],
        [250, 100, 350_000_000n],
        [0.1, 0.2, 300_000n]
      ] as const) {
        const [span] = yield* spansOf(deliveredEvent("a", { latency_ms, generation_ms }))
        assert.strictEqual((span?.end ?? 0n) - (span?.start ?? 0n), nanos)
      }
      const [old] = yield* spansOf(
        deliveredEvent("a", { created_at: "1960-01-01T00:00:00.000Z", generation_ms: null, latency_ms: null })
      )
      assert.strictEqual(old?.start, 0n)
      const recorded = BigInt(Date.parse(deliveredEvent("a").event.recorded_at)) * 1_000_000n
      const [long] = yield* spansOf(deliveredEvent("a", { generation_ms: Number.MAX_SAFE_INTEGER }))
      assert.strictEqual(long?.end, recorded)
    })
  )
})
