/** How many events a request holds, and what is left of one that is too large. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { deliveredEvent } from "@gatewarden/testkit/delivery/deliveredEvent"
import { type ReceivedSpan, readSpans } from "@gatewarden/testkit/delivery/platforms/readSpans"
import type { DeliveredEvent, RenderedRequest } from "../../../core/src/delivery/rendering/Renderer.ts"
import { jsonEncoding } from "../../../core/src/delivery/rendering/jsonEncoding.ts"
import { otlpRenderer } from "../../../core/src/delivery/rendering/otlpRenderer.ts"
import { protobufEncoding } from "../../../core/src/delivery/rendering/protobufEncoding.ts"
import { newrelic } from "../../../core/src/delivery/types/otlpTypes.ts"
import type { UsageEvent } from "../../../core/src/ports/usage.ts"

const everything = { cost: true, identity: true, request_context: true }
const limits = { events: 5, bytes: 1_000_000 }

const spansOf = (requests: readonly RenderedRequest[]): readonly ReceivedSpan[] =>
  requests.flatMap(({ headers, body }) => readSpans(Redacted.value(headers)["content-type"], body))

for (const [name, encoding] of [
  ["JSON", jsonEncoding],
  ["protobuf", protobufEncoding]
] as const)
  describe(`requests in ${name}`, () => {
    const renderer = otlpRenderer({
      type: "otel-collector",
      limits,
      encoding,
      address: ({ endpoint }) => endpoint,
      credentials: () => ({})
    })
    const render = (events: readonly DeliveredEvent[]) =>
      renderer.render({ endpoint: "https://otel.example" }, events, everything, 0)
    const many = (count: number, input?: unknown) =>
      Array.from({ length: count }, (_, index) => deliveredEvent(`gen-${index}`, {}, { input }))

    it.effect("hold as many events as the platform takes", () =>
      Effect.gen(function* () {
        for (const [count, sizes] of [
          [0, []],
          [1, [1]],
          [5, [5]],
          [6, [5, 1]],
          [11, [5, 5, 1]]
        ] as const) {
          const requests = yield* render(many(count))
          assert.deepEqual(
            requests.map(({ events }) => events.length),
            [...sizes]
          )
          assert.deepEqual(
            requests.flatMap(({ events }) => events),
            many(count).map(({ event }) => event.id)
          )
        }
      })
    )

    it.effect("are as large as the platform takes, to the byte", () =>
      Effect.gen(function* () {
        const sizeOf = (length: number) =>
          Effect.map(render(many(2, "x".repeat(length))), (requests) => requests.map(({ body }) => body.length))
        let [fits, exceeds] = [100, limits.bytes]
        while (exceeds - fits > 1) {
          const middle = Math.floor((fits + exceeds) / 2)
          if ((yield* sizeOf(middle)).length === 1) fits = middle
          else exceeds = middle
        }
        const [whole = 0] = yield* sizeOf(fits)
        assert.isAtMost(whole, limits.bytes)
        assert.isAbove(whole, limits.bytes - 32)
        assert.strictEqual((yield* sizeOf(exceeds)).length, 2)
      })
    )

    it.effect(
      "have what fits of an event that is too large alone: no bodies, then no metadata, then short values",
      () =>
        Effect.gen(function* () {
          const huge = "\u0001".repeat(limits.bytes)
          const tags = Object.fromEntries(
            Array.from({ length: 10_000 }, (_, n) => [`${n}-${"k".repeat(200)}`, huge.slice(0, 256)])
          )
          const event = (id: string, fields: Partial<UsageEvent>, input: unknown = "Hi") =>
            deliveredEvent(id, fields, { input })
          const requests = yield* render([
            event("gen-1", {}, huge),
            event("gen-2", { trace: { notes: huge } }),
            event("gen-3", { trace: null, classifiers: { tags } }),
            event("gen-4", {})
          ])
          for (const { body } of requests) assert.isAtMost(body.length, limits.bytes)
          const spans = spansOf(requests)
          assert.deepEqual(
            spans.map(({ attributes }) => [
              attributes["gatewarden.left_out"],
              "gen_ai.input.messages" in attributes,
              "trace.metadata.notes" in attributes
            ]),
            [
              ["bodies", false, false],
              ["metadata", false, false],
              [undefined, false, false],
              [undefined, true, false]
            ]
          )
          assert.isAtMost(Object.keys(spans[2]?.attributes ?? {}).length, 200)
          assert.strictEqual(spans[2]?.attributes["gen_ai.response.id"], "gen-3")
        })
    )
  })

describe("values", () => {
  it.effect("are cut for New Relic, between characters", () =>
    Effect.gen(function* () {
      const trace = {
        face: "x".repeat(4094) + "😀",
        long: "y".repeat(5000),
        [`${"n".repeat(400)}1`]: 1,
        [`${"n".repeat(400)}2`]: 2
      }
      const events = [deliveredEvent("gen-1", { trace, input_modalities: Array.from({ length: 100 }, String) })]
      const [span] = spansOf(yield* newrelic.render({ licenseKey: "k", region: "us" }, events, everything, 0))
      const attributes = span?.attributes ?? {}
      assert.strictEqual(attributes["trace.metadata.face"], "x".repeat(4094))
      assert.strictEqual(attributes["trace.metadata.long"], "y".repeat(4095))
      assert.strictEqual((attributes["gatewarden.input_modalities"] as readonly string[]).length, 64)
      assert.strictEqual(Object.keys(attributes).filter((key) => key.includes("nnn")).length, 1)
    })
  )
})
