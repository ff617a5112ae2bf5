/** Which sums a query is read from. Rule: analytics#sources. */
import { AnalyticsQuery } from "@gatewarden/contract/internal"
import { planQuery, printSource, sourceOf } from "@gatewarden/core/internal"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"

const now = Date.parse("2026-03-04T12:00:00.000Z")

const sourceOfQuery = (query: object) => {
  const planned = planQuery(AnalyticsQuery.parse({ metrics: ["request_count"], ...query }), now)
  return planned.ok ? sourceOf(planned.plan) : assert.fail(planned.reason)
}

const week = { start: "2026-02-23T12:00:00Z", end: "2026-02-27T12:30:00Z" }

const cases: readonly (readonly [query: object, source: string])[] = [
  [{ time_range: week }, "total: 3 days, 24 hours, 1 ranges of events"],
  [{ time_range: week, dimensions: ["model"] }, "model+variant: 3 days, 24 hours, 1 ranges of events"],
  [{ time_range: week, dimensions: ["workspace"] }, "total: 3 days, 24 hours, 1 ranges of events"],
  [
    { time_range: week, dimensions: ["provider"], granularity: "hour" },
    "provider+endpoint: 0 days, 96 hours, 1 ranges of events"
  ],
  [
    { time_range: week, dimensions: ["provider"], filters: { model: "a" } },
    "model+variant+provider+endpoint: 3 days, 0 hours, 2 ranges of events"
  ],
  [
    { time_range: week, dimensions: ["user"], filters: { model: "a" } },
    "model+variant+user: 3 days, 0 hours, 2 ranges of events"
  ],
  [{ time_range: week, dimensions: ["user"], granularity: "hour" }, "events"],
  [{ time_range: week, dimensions: ["user"], metrics: ["p50_latency"] }, "events"],
  [{ time_range: week, dimensions: ["user", "api_key_id"] }, "events"],
  [{ time_range: week, granularity: "minute" }, "events"],
  [{ time_range: week, classifier_dimensions: { classifier_id: "topic" } }, "events"],
  [{ time_range: { start: "2026-02-27T12:10:00Z", end: "2026-02-27T12:30:00Z" } }, "events"]
]

describe("the source of a query", () => {
  it.each(cases)("%j is read from %s", (query, expected) => {
    assert.strictEqual(printSource(sourceOfQuery(query)), expected)
  })

  it("divides the time range into days, hours and the rest", () => {
    const instant = fc.integer({ min: now - 10 * 86_400_000, max: now })
    fc.assert(
      fc.property(instant, instant, fc.constantFrom("user", "model"), (one, other, dimension) => {
        const [start, end] = [Math.min(one, other), Math.max(one, other) + 1]
        const time_range = { start: new Date(start).toISOString(), end: new Date(end).toISOString() }
        const source = sourceOfQuery({ time_range, dimensions: [dimension] })
        if (source === undefined) return
        const parts = [...source.days, ...source.hours, ...source.events].sort((a, b) => a.start - b.start)
        assert.strictEqual(parts[0]?.start, start)
        assert.strictEqual(parts.at(-1)?.end, end)
        for (const [index, part] of parts.entries()) {
          assert.isBelow(part.start, part.end)
          if (index > 0) assert.strictEqual(part.start, parts[index - 1]?.end)
        }
        for (const day of source.days) assert.deepEqual([day.start % 86_400_000, day.end % 86_400_000], [0, 0])
        for (const hour of source.hours) assert.deepEqual([hour.start % 3_600_000, hour.end % 3_600_000], [0, 0])
      })
    )
  })
})
