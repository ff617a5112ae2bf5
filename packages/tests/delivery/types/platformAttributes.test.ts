/** The platforms' own names, held to what their clients publish. */
import { SemanticConventions } from "@arizeai/openinference-semantic-conventions"
import { assert, describe, it } from "@effect/vitest"
import type { DestinationType } from "@gatewarden/contract/internal"
import { LangfuseOtelSpanAttributes } from "@langfuse/core"
import { ATTRIBUTE_METADATA } from "@sentry/conventions/attributes"
import { Effect, Redacted } from "effect"
import { deliveredEvent } from "@gatewarden/testkit/delivery/deliveredEvent"
import { readSpans } from "@gatewarden/testkit/delivery/platforms/readSpans"
import type { DeliveredEvent } from "../../../core/src/delivery/rendering/Renderer.ts"
import { opik } from "../../../core/src/delivery/types/opik.ts"
import { newrelic } from "../../../core/src/delivery/types/otlpTypes.ts"
import { snowflake } from "../../../core/src/delivery/types/snowflake.ts"
import { otlpPlatforms } from "../otlpPlatforms.ts"

const everything = { cost: true, identity: true, request_context: true }
const nothing = { cost: false, identity: false, request_context: false }

const attributesOf = (type: DestinationType, event: DeliveredEvent, include = everything) =>
  Effect.gen(function* () {
    const { renderer, start } = otlpPlatforms.find((platform) => platform.type === type) ?? assert.fail(type)
    const { config } = yield* start
    const requests = yield* renderer.render(config, [event], include, 0)
    const spans = requests.flatMap(({ headers, body }) => readSpans(Redacted.value(headers)["content-type"], body))
    return spans.map(({ attributes }) => attributes)
  })

const picked = (attributes: Readonly<Record<string, unknown>> | undefined, prefix: string) =>
  Object.fromEntries(Object.entries(attributes ?? {}).filter(([key]) => key.startsWith(prefix)))

describe("langfuse", () => {
  it.effect("gets its own attributes, by the names of its client", () =>
    Effect.gen(function* () {
      const [attributes] = yield* attributesOf("langfuse", deliveredEvent("gen-1", { status: "error" }))
      const own = picked(attributes, "langfuse.")
      assert.deepEqual(own, {
        "langfuse.trace.name": "Answer a ticket",
        "langfuse.session.id": "session-3",
        "langfuse.user.id": "customer-7",
        "langfuse.environment": "production",
        "langfuse.release": "v7",
        "langfuse.trace.tags": ["topic.kind:billing"],
        "langfuse.observation.type": "generation",
        "langfuse.observation.level": "ERROR",
        "langfuse.observation.status_message": "error",
        "langfuse.observation.completion_start_time": '"2026-03-04T05:06:07.259Z"',
        "langfuse.observation.cost_details": '{"total":0.001234572}',
        "langfuse.trace.metadata.environment": "production",
        "langfuse.trace.metadata.release": "v7",
        "langfuse.trace.metadata.attempt": 2,
        "langfuse.trace.metadata.nested": '{"a":[1]}'
      })
      const published = Object.values(LangfuseOtelSpanAttributes) as readonly string[]
      assert.deepEqual(
        Object.keys(own).filter((name) => !published.some((known) => name === known || name.startsWith(`${known}.`))),
        []
      )
    })
  )

  it.effect("gets no environment that it would replace, and no cost that is not included", () =>
    Effect.gen(function* () {
      for (const environment of ["Production", "langfuse-x", "a b", "", 7]) {
        const [attributes] = yield* attributesOf("langfuse", deliveredEvent("a", { trace: { environment } }), nothing)
        assert.notProperty(attributes, "langfuse.environment")
        assert.notProperty(attributes, "langfuse.observation.cost_details")
      }
    })
  )
})

describe("sentry", () => {
  const published = ATTRIBUTE_METADATA as Readonly<Record<string, { readonly type: string } | undefined>>
  const typeOf = (value: unknown) => (typeof value === "number" ? /^(?:integer|double)$/ : /^string/)

  it.effect("gets its own attributes, by the names and types of its conventions", () =>
    Effect.gen(function* () {
      const [attributes] = yield* attributesOf("sentry", deliveredEvent("gen-1"))
      const own = picked(attributes, "gen_ai.")
      for (const name of [
        "gen_ai.cost.total_tokens",
        "gen_ai.usage.input_tokens.cached",
        "gen_ai.usage.input_tokens.cache_write",
        "gen_ai.usage.output_tokens.reasoning"
      ])
        assert.property(own, name)
      const unknown = Object.entries(own).filter(([name, value]) => !typeOf(value).test(published[name]?.type ?? ""))
      // Other platforms read them, and Sentry shows them as they are.
      assert.deepEqual(
        unknown.map(([name]) => name),
        ["gen_ai.usage.cache_write.input_tokens", "gen_ai.usage.cost"]
      )
    })
  )
})

describe("arize", () => {
  it.effect("gets OpenInference, and bodies once", () =>
    Effect.gen(function* () {
      const [attributes = {}] = yield* attributesOf("arize", deliveredEvent("gen-1"))
      assert.notProperty(attributes, "gen_ai.input.messages")
      assert.strictEqual(attributes[SemanticConventions.OPENINFERENCE_SPAN_KIND], "LLM")
      assert.strictEqual(attributes[SemanticConventions.LLM_MODEL_NAME], "anthropic/claude-sonnet-4.5")
      assert.strictEqual(attributes[SemanticConventions.LLM_TOKEN_COUNT_TOTAL], 150)
      assert.strictEqual(attributes[SemanticConventions.LLM_COST_TOTAL], 0.001234572)
      assert.deepEqual(JSON.parse(String(attributes[SemanticConventions.METADATA])), {
        environment: "production",
        release: "v7",
        attempt: 2,
        nested: { a: [1] }
      })
      assert.deepEqual(picked(attributes, "llm.input_messages."), {
        "llm.input_messages.0.message.role": "system",
        "llm.input_messages.0.message.content": "Be brief.",
        "llm.input_messages.1.message.role": "user",
        "llm.input_messages.1.message.content": "Weather in Köln?",
        "llm.input_messages.2.message.role": "assistant",
        "llm.input_messages.2.message.tool_calls.0.tool_call.id": "call-1",
        "llm.input_messages.2.message.tool_calls.0.tool_call.function.name": "weather",
        "llm.input_messages.2.message.tool_calls.0.tool_call.function.arguments": '{"city":"Köln"}',
        "llm.input_messages.3.message.role": "tool",
        "llm.input_messages.3.message.content": "rainy",
        "llm.input_messages.3.message.tool_call_id": "call-1"
      })
      assert.strictEqual(attributes["llm.output_messages.0.message.content"], "Rain.")
    })
  )
})

describe("langsmith", () => {
  it.effect("gets sessions as metadata, and a parent run by its UUID", () =>
    Effect.gen(function* () {
      const parent_span_id = "6F1B1C9E-5a0e-4d43-8d4c-0d3d8f6f2a10"
      const trace = { span_name: "Plan", parent_span_id, session_id: "other", step: 1 }
      const [above, below] = yield* attributesOf("langsmith", deliveredEvent("gen-1", { trace }))
      const { "langsmith.usage_metadata": usage, ...own } = picked(below, "langsmith.")
      assert.deepEqual(JSON.parse(String(usage)), {
        input_tokens: 120,
        output_tokens: 30,
        total_tokens: 150,
        input_token_details: { cache_read: 20, cache_creation: 30 },
        output_token_details: { reasoning: 10 },
        total_cost: 0.001234572
      })
      assert.deepEqual(own, {
        "langsmith.span.kind": "llm",
        "langsmith.span.tags": "topic.kind:billing",
        "langsmith.metadata.session_id": "session-3",
        "langsmith.metadata.user_id": "customer-7",
        "langsmith.metadata.parent_span_id": parent_span_id,
        "langsmith.metadata.step": 1
      })
      assert.strictEqual(above?.["langsmith.span.kind"], "chain")
      assert.strictEqual(above?.["langsmith.span.parent_id"], parent_span_id.toLowerCase())
      const [alone] = yield* attributesOf("langsmith", deliveredEvent("gen-1", { trace: { parent_span_id } }))
      assert.strictEqual(alone?.["langsmith.span.parent_id"], parent_span_id.toLowerCase())
    })
  )
})

describe("braintrust", () => {
  it.effect("gets metadata and metrics as JSON", () =>
    Effect.gen(function* () {
      const own = (include: typeof everything) =>
        Effect.map(attributesOf("braintrust", deliveredEvent("gen-1"), include), ([attributes = {}]) =>
          Object.fromEntries(
            Object.entries(picked(attributes, "braintrust.")).map(([key, value]) => [
              key,
              key === "braintrust.tags" ? value : (JSON.parse(String(value)) as unknown)
            ])
          )
        )
      const metrics = {
        prompt_tokens: 120,
        completion_tokens: 30,
        tokens: 150,
        prompt_cached_tokens: 20,
        prompt_cache_creation_tokens: 30,
        completion_reasoning_tokens: 10,
        time_to_first_token: 0.2505
      }
      assert.deepEqual(yield* own(everything), {
        "braintrust.span_attributes": { type: "llm" },
        "braintrust.tags": ["topic.kind:billing"],
        "braintrust.metadata": {
          environment: "production",
          release: "v7",
          attempt: 2,
          nested: { a: [1] },
          model: "anthropic/claude-sonnet-4.5:thinking",
          provider: "Anthropic",
          session_id: "session-3",
          user_id: "customer-7"
        },
        "braintrust.metrics": { ...metrics, estimated_cost: 0.001234572 }
      })
      assert.deepEqual((yield* own(nothing))["braintrust.metrics"], metrics)
    })
  )

  it.effect("gets every metric as a number, and no tag twice", () =>
    Effect.gen(function* () {
      const trace = { tags: ["x".repeat(201), "x".repeat(202), "y", "y"] }
      const event = deliveredEvent("gen-1", { trace, classifiers: null, cost_nanos: 999_999_999_123_456_789n })
      const [attributes] = yield* attributesOf("braintrust", event)
      const metrics = JSON.parse(String(attributes?.["braintrust.metrics"])) as Readonly<Record<string, unknown>>
      assert.deepEqual([...new Set(Object.values(metrics).map((value) => typeof value))], ["number"])
      assert.deepEqual(attributes?.["braintrust.tags"], ["x".repeat(200), "y"])
    })
  )
})

describe("weave and opik", () => {
  it.effect("get a thread for the session", () =>
    Effect.gen(function* () {
      const [weave] = yield* attributesOf("weave", deliveredEvent("gen-1"))
      assert.deepEqual(picked(weave, "wandb."), {
        "wandb.display_name": "Draft",
        "wandb.thread_id": "session-3",
        "wandb.is_turn": true,
        "wandb.attributes": JSON.stringify({
          environment: "production",
          release: "v7",
          attempt: 2,
          nested: { a: [1] },
          tags: ["topic.kind:billing"],
          classifiers: { topic: { kind: "billing" } }
        })
      })
      const [opik] = yield* attributesOf("opik", deliveredEvent("gen-1"))
      assert.strictEqual(opik?.["gen_ai.conversation.id"], "session-3")
      assert.strictEqual(opik?.["gen_ai.usage.cost"], 0.001234572)
      assert.strictEqual(opik?.["opik.metadata.trace.metadata.release"], "v7")
    })
  )
})

describe("addresses", () => {
  it.effect("are the platform's own, or those of a self-hosted one and of another region", () =>
    Effect.gen(function* () {
      const event = deliveredEvent("gen-1")
      const url = (requests: readonly { readonly url: string }[]) => requests[0]?.url
      const own = { apiKey: "k", workspace: "w", projectName: "p" }
      assert.strictEqual(
        url(yield* opik.render(own, [event], nothing, 0)),
        "https://www.comet.com/opik/api/v1/private/otel/v1/traces"
      )
      assert.strictEqual(
        url(yield* opik.render({ ...own, baseUrl: "https://opik.example/api/" }, [event], nothing, 0)),
        "https://opik.example/api/v1/private/otel/v1/traces"
      )
      const newRelic = { licenseKey: "k", region: "eu" } as const
      assert.strictEqual(
        url(yield* newrelic.render(newRelic, [event], nothing, 0)),
        "https://otlp.eu01.nr-data.net/v1/traces"
      )
      assert.strictEqual(
        url(yield* newrelic.render({ ...newRelic, baseUrl: "https://otlp.jp.nr-data.net" }, [event], nothing, 0)),
        "https://otlp.jp.nr-data.net/v1/traces"
      )
      const warehouse = { database: "D", schema: "S", table: "T", warehouse: "W" }
      const rows = { ...warehouse, account: "my_org-xy1.us-east-1", token: "t" }
      const statements = /^([^?]+)\?requestId=[0-9a-f-]{36}&retry=true$/
      for (const [host, address] of [
        [undefined, "https://my-org-xy1.us-east-1.snowflakecomputing.com/api/v2/statements"],
        ["https://proxy.example:8443/sf/", "https://proxy.example:8443/sf/api/v2/statements"],
        ["proxy.example", "https://proxy.example/api/v2/statements"]
      ] as const) {
        const config = host === undefined ? rows : { ...rows, host }
        const [sent = ""] = [url(yield* snowflake.render(config, [event], nothing, 0))]
        assert.strictEqual(statements.exec(sent)?.[1], address)
        assert.strictEqual(statements.exec((yield* snowflake.probe(config, 0)).url)?.[1], address)
      }
    })
  )
})
