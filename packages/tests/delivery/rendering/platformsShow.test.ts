/** What platforms that take OTLP show of requests of every kind. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { deliveredEvent } from "@gatewarden/testkit/delivery/deliveredEvent"
import { readSpans } from "@gatewarden/testkit/delivery/platforms/readSpans"
import type { DeliveredEvent } from "../../../core/src/delivery/rendering/Renderer.ts"
import { platformReaders } from "../otlp/platformReaders.ts"
import { otlpPlatforms } from "../otlpPlatforms.ts"

const everything = { cost: true, identity: true, request_context: true }

type Type = keyof typeof platformReaders

/** What a platform has no place for, or gets elsewhere. */
const lacks: Readonly<Partial<Record<Type, readonly ("cost" | "tags" | "details")[]>>> = {
  sentry: ["tags"],
  weave: ["cost", "details"]
}

const spansOf = (type: Type, event: DeliveredEvent, include = everything) =>
  Effect.gen(function* () {
    const { renderer, start } = otlpPlatforms.find((platform) => platform.type === type) ?? assert.fail(type)
    const { config } = yield* start
    const requests = yield* renderer.render(config, [event], include, 0)
    return requests.flatMap(({ headers, body }) => readSpans(Redacted.value(headers)["content-type"], body))
  })

const shown = (type: Type, event: DeliveredEvent, include = everything) =>
  Effect.map(spansOf(type, event, include), (spans) => spans.map(platformReaders[type]))

const types: readonly Type[] = ["arize", "langfuse", "langsmith", "opik", "sentry", "weave"]

const privateMode = {}

const embedding = {
  input: { model: "openai/text-embedding-3-small", input: "Köln" },
  output: { data: [{ embedding: [0.1, 0.2] }] }
}

for (const type of types)
  describe(type, () => {
    const has = (what: "cost" | "tags" | "details") => lacks[type]?.includes(what) !== true

    it.effect("shows success, tokens and input and output", () =>
      Effect.gen(function* () {
        const [one] = yield* shown(type, deliveredEvent("gen-1"))
        assert.isFalse(one?.isError)
        assert.deepInclude(one?.tokens, { input: 120, output: 30 })
        if (has("details")) assert.deepInclude(one?.tokens, { cached: 20, reasoning: 10 })
        assert.include(JSON.stringify(one?.input), "Weather in Köln?")
        // A call of a tool, with its name and its arguments.
        assert.match(JSON.stringify(one?.input), /weather.*city/)
        assert.include(JSON.stringify(one?.output), "Rain.")
      })
    )

    for (const [status, message] of [
      ["error", "The request failed."],
      ["rate_limited", "A rate limit refused the request."],
      ["cancelled", "The client cancelled the request."],
      ["blocked", "A guardrail blocked the request."]
    ] as const)
      it.effect(`shows a request that is ${status} as an error`, () =>
        Effect.gen(function* () {
          for (const trace of [null, { span_name: "Plan" }]) {
            const event = deliveredEvent(
              "gen-1",
              { status, finish_reason: null, trace },
              { input: "Hello", output: "Half" }
            )
            const spans = yield* spansOf(type, event)
            assert.strictEqual(spans.length, trace === null ? 1 : 2)
            for (const span of spans) {
              const { isError, error } = platformReaders[type](span)
              assert.isTrue(isError)
              assert.include([message, status], error)
              assert.deepEqual(span.events, [
                {
                  name: "exception",
                  time: span.end,
                  attributes: { "exception.type": status, "exception.message": message }
                }
              ])
              // No reason to stop is made up.
              assert.notInclude(JSON.stringify(span.attributes), '"stop"')
            }
          }
        })
      )

    it.effect("shows tokens and cost of a destination in privacy mode", () =>
      Effect.gen(function* () {
        const [one] = yield* shown(type, deliveredEvent("gen-1", {}, privateMode))
        assert.deepInclude(one?.tokens, { input: 120, output: 30 })
        if (has("cost")) assert.strictEqual(one?.cost, 0.001234572)
        assert.notInclude(JSON.stringify([one?.input ?? "", one?.output ?? ""]), "Köln")
      })
    )

    it.effect("shows what the user paid in total, as a number, and nothing if costs are not included", () =>
      Effect.gen(function* () {
        const own = deliveredEvent("gen-1", { byok: true, cost_nanos: 50_000_000n, byok_cost_nanos: 1_000_000_000n })
        const [one] = yield* shown(type, own)
        assert.strictEqual(one?.cost, has("cost") ? 1.05 : undefined)
        const [hidden] = yield* shown(type, own, { ...everything, cost: false })
        assert.isUndefined(hidden?.cost)
        const [large] = yield* shown(type, deliveredEvent("gen-1", { cost_nanos: 999_999_999_123_456_789n }))
        if (has("cost") && type !== "arize") assert.typeOf(large?.cost, "number")
      })
    )

    it.effect("shows tags as tags", () =>
      Effect.gen(function* () {
        const event = deliveredEvent("gen-1", { trace: { tags: ["beta", "team:search"] }, classifiers: null })
        const [one] = yield* shown(type, event)
        assert.deepEqual(one?.tags, has("tags") ? ["beta", "team:search"] : [])
        const [alone] = yield* shown(type, deliveredEvent("gen-1", { trace: { tags: "beta" }, classifiers: null }))
        assert.deepEqual(alone?.tags, has("tags") ? ["beta"] : [])
        const recorded = { trace: { tags: "beta" }, classifiers: { "trace.tags": { beta: "true" } } }
        const [whole] = yield* shown(type, deliveredEvent("gen-1", recorded))
        assert.deepEqual(whole?.tags, has("tags") ? ["beta"] : [])
      })
    )

    it.effect("takes metadata whose names begin with one another", () =>
      Effect.gen(function* () {
        const trace = { a: "x", "a.b": "y", "a.b.c": 1, "tags.x": true, tags: ["t"] }
        const classifiers = { k: { v: "1", "v.w": "2" } }
        const spans = yield* spansOf(type, deliveredEvent("gen-1", { trace, classifiers }))
        const [one] = spans.map(platformReaders[type])
        assert.deepInclude(one?.metadata, { a: "x", "a.b": "y", "a.b.c": 1 })
      })
    )

    it.effect("shows input and output of the root, and tokens and cost once", () =>
      Effect.gen(function* () {
        const [root, called] = yield* shown(type, deliveredEvent("gen-1", { trace: { span_name: "Plan" } }))
        if (type !== "sentry") {
          assert.include(JSON.stringify(root?.input), "Weather in Köln?")
          assert.include(JSON.stringify(root?.output), "Rain.")
        }
        assert.isUndefined(root?.tokens.input)
        assert.isUndefined(root?.cost)
        assert.strictEqual(called?.tokens.input, 120)
      })
    )

    it.effect("shows a request of embeddings", () =>
      Effect.gen(function* () {
        const fields = { output_modalities: ["embeddings"], completion_tokens: 0, finish_reason: null }
        const [one] = yield* shown(type, deliveredEvent("gen-1", fields, embedding))
        assert.isFalse(one?.isError)
        assert.strictEqual(one?.tokens.input, 120)
        assert.include(JSON.stringify(one?.input), "Köln")
      })
    )
  })
