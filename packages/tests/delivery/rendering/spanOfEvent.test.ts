/** When a request began and ended. Rule: usage#times. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { spanOfEvent } from "../../../core/src/delivery/rendering/RequestSpan.ts"

const recorded_at = "2026-03-04T12:00:00.000Z"
const recorded = Date.parse(recorded_at)

/** Seconds from the recording to the begin and the end of the span of an event that was created so many seconds before the recording. */
const span = (seconds_before: number, latency_ms: number | null, generation_ms: number | null) => {
  const created_at = new Date(recorded - seconds_before * 1000).toISOString()
  const { start, durationMillis } = spanOfEvent({ created_at, recorded_at, latency_ms, generation_ms })
  return [(start - recorded) / 1000, (start + durationMillis - recorded) / 1000]
}

describe("spanOfEvent", () => {
  it("begins at created_at and ends after the latency and the generation", () => {
    assert.deepStrictEqual(span(10, 500, 2000), [-10, -7.5])
    assert.deepStrictEqual(span(10, 500, null), [-10, -9.5])
    assert.deepStrictEqual(span(10, null, 2000), [-10, -8])
    assert.deepStrictEqual(span(10, null, null), [-10, -10])
  })

  it("moves a span back that would end after it was recorded, with its length", () => {
    assert.deepStrictEqual(span(1, 500, 2500), [-3, 0])
    assert.deepStrictEqual(span(-240, 500, 500), [-1, 0])
    assert.deepStrictEqual(span(0, 0, 299_000), [-299, 0])
  })

  it("cuts off what is still in the future when it has moved by the clock tolerance", () => {
    assert.deepStrictEqual(span(0, 0, 400_000), [-300, 0])
    assert.deepStrictEqual(span(60, 0, Number.MAX_SAFE_INTEGER), [-360, 0])
  })

  it("has three decimals, and never ends in the future", () => {
    const millis = fc.option(fc.double({ noNaN: true, min: 0, max: 1e7 }))
    fc.assert(
      fc.property(fc.integer({ min: -300_000, max: 1e7 }), millis, millis, (before, latency_ms, generation_ms) => {
        const created_at = new Date(recorded - before).toISOString()
        const { start, durationMillis } = spanOfEvent({ created_at, recorded_at, latency_ms, generation_ms })
        assert.isTrue(Number.isInteger(start))
        assert.isTrue(durationMillis >= 0 && start + durationMillis <= recorded)
        assert.strictEqual(durationMillis, Number(durationMillis.toFixed(3)))
        assert.isTrue(start <= Date.parse(created_at))
      })
    )
  })
})
