/** Spans as JSON, and their instants, are what the general means of the language make of them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { awkwardText } from "@gatewarden/testkit/delivery/anyDelivered"
import { deliveredEvent } from "@gatewarden/testkit/delivery/deliveredEvent"
import type { Attribute, Span } from "../../../core/src/delivery/rendering/Span.ts"
import { jsonEncoding } from "../../../core/src/delivery/rendering/jsonEncoding.ts"
import { requestSpanOf, spansOf } from "../../../core/src/delivery/rendering/spansOf.ts"

const text = fc.oneof(awkwardText, fc.string({ unit: "binary", minLength: 200, maxLength: 40_000 }))

const value = fc.oneof(
  fc.record({ stringValue: text }),
  fc.record({ boolValue: fc.boolean() }),
  fc.record({ intValue: fc.maxSafeInteger().map(String) }),
  fc.record({ doubleValue: fc.double() }),
  fc.record({ arrayValue: fc.record({ values: fc.array(fc.record({ stringValue: text }), { maxLength: 3 }) }) })
)

const attribute: fc.Arbitrary<Attribute> = fc.record({ key: text, value })

const id = fc.stringMatching(/^[0-9a-f]{16}$/)

const span: fc.Arbitrary<Span> = fc.record(
  {
    traceId: fc.stringMatching(/^[0-9a-f]{32}$/),
    spanId: id,
    parentSpanId: id,
    name: text,
    kind: fc.constantFrom(1 as const, 3 as const),
    startTimeUnixNano: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String),
    endTimeUnixNano: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String),
    attributes: fc.array(attribute, { maxLength: 6 }),
    events: fc.array(
      fc.record({ timeUnixNano: fc.nat().map(String), name: text, attributes: fc.array(attribute, { maxLength: 2 }) }),
      { maxLength: 2 }
    ),
    status: fc.oneof(fc.constant({ code: 0 as const }), fc.record({ code: fc.constant(2 as const), message: text }))
  },
  {
    requiredKeys: ["traceId", "spanId", "name", "kind", "startTimeUnixNano", "endTimeUnixNano", "attributes", "status"]
  }
)

describe("jsonEncoding", () => {
  it("writes any span as JSON.stringify does", () => {
    fc.assert(
      fc.property(fc.array(span, { minLength: 1, maxLength: 3 }), (spans) => {
        for (const one of spans) {
          const written: unknown = JSON.parse(new TextDecoder().decode(jsonEncoding.encode(one)))
          // Halves of surrogate pairs have no bytes: `JSON.stringify` writes them as escapes, and so does the encoding.
          assert.deepStrictEqual(written, JSON.parse(JSON.stringify(one)))
        }
      })
    )
  })
})

const last = 2n ** 63n - 1n
const capped = (nanos: bigint): string => String(nanos < last ? nanos : last)

describe("instants of a span", () => {
  it.effect("are exact, and end where a decoder's range ends", () =>
    Effect.gen(function* () {
      const instant = fc.oneof(
        fc.integer({ min: 0, max: 8_600_000_000_000_000 }),
        fc.integer({ min: 9_223_372_036_000, max: 9_223_372_037_000 }),
        fc.constantFrom(0, 1)
      )
      const duration = fc.oneof(fc.nat(10_000_000), fc.double({ noNaN: true, min: 0, max: 1e13 }), fc.constant(0))
      for (const [start, latency_ms] of fc.sample(fc.tuple(instant, duration), 500)) {
        const recorded_at = new Date(8_640_000_000_000_000).toISOString()
        const event = { created_at: new Date(start).toISOString(), recorded_at, latency_ms, generation_ms: null }
        const request = yield* requestSpanOf(deliveredEvent("gen-1", event), {
          cost: false,
          identity: false,
          request_context: false
        })
        const [called] = spansOf(request("nothing"), [], () => [])
        const begin = BigInt(start) * 1_000_000n
        assert.strictEqual(called?.startTimeUnixNano, capped(begin))
        assert.strictEqual(
          called?.endTimeUnixNano,
          capped((begin < last ? begin : last) + BigInt(Math.round(latency_ms * 1000)) * 1_000n)
        )
      }
    })
  )
})
