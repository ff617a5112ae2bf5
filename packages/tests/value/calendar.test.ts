import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { bucketCount, formatBucket, startOfBucket } from "../../core/src/value/calendar.ts"

const granularities = ["minute", "hour", "day", "week", "month"] as const
type Granularity = (typeof granularities)[number]

const table: readonly (readonly [Granularity, instant: string, start: string])[] = [
  ["minute", "2026-08-24T10:30:59.999Z", "2026-08-24T10:30:00.000Z"],
  ["minute", "2026-08-24T10:30:00.000Z", "2026-08-24T10:30:00.000Z"],
  ["hour", "2026-08-24T10:30:59.999Z", "2026-08-24T10:00:00.000Z"],
  ["day", "2026-08-24T23:59:59.999Z", "2026-08-24T00:00:00.000Z"],
  ["week", "2026-08-24T00:00:00.000Z", "2026-08-24T00:00:00.000Z"],
  ["week", "2026-08-23T23:59:59.999Z", "2026-08-17T00:00:00.000Z"],
  ["week", "2025-01-01T00:00:00.000Z", "2024-12-30T00:00:00.000Z"],
  ["week", "1970-01-01T00:00:00.000Z", "1969-12-29T00:00:00.000Z"],
  ["month", "2024-02-29T12:00:00.000Z", "2024-02-01T00:00:00.000Z"],
  ["month", "2026-12-31T23:59:59.999Z", "2026-12-01T00:00:00.000Z"],
  ["minute", "1969-12-31T23:59:59.999Z", "1969-12-31T23:59:00.000Z"],
  ["hour", "1969-12-31T23:59:59.999Z", "1969-12-31T23:00:00.000Z"],
  ["day", "1969-12-31T23:59:59.999Z", "1969-12-31T00:00:00.000Z"],
  ["month", "1969-12-31T23:59:59.999Z", "1969-12-01T00:00:00.000Z"],
  ["month", "0050-07-15T00:00:00.000Z", "0050-07-01T00:00:00.000Z"],
  ["month", "-000001-02-15T00:00:00.000Z", "-000001-02-01T00:00:00.000Z"],
  ["month", "+200000-02-15T00:00:00.000Z", "+200000-02-01T00:00:00.000Z"]
]

/** Year, month and day of a day number, without Date: years of the proleptic Gregorian calendar that begin in March. */
const civil = (days: number) => {
  const shifted = days + 719_468
  const era = Math.floor(shifted / 146_097)
  const ofEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (ofEra - Math.floor(ofEra / 1460) + Math.floor(ofEra / 36_524) - Math.floor(ofEra / 146_096)) / 365
  )
  const ofYear = ofEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const marchMonth = Math.floor((5 * ofYear + 2) / 153)
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: ofYear - Math.floor((153 * marchMonth + 2) / 5) + 1
  }
}

const dayMillis = 86_400_000
const latest = 8.64e15 - 40 * dayMillis
const millis = fc.oneof(
  fc.maxSafeInteger().map((value) => value % latest),
  fc.integer({ min: -4e12, max: 8e12 }),
  fc.integer({ min: -20_000, max: 100_000 }).map((day) => day * dayMillis),
  fc.integer({ min: -20_000, max: 100_000 }).map((day) => day * dayMillis - 1)
)
const anyGranularity = fc.constantFrom(...granularities)

/** The start of the following bucket: the longest bucket of each kind, and a little, lands in the next one. */
const nextStart = (granularity: Granularity, start: number) => {
  const longest = { minute: 60_000, hour: 3_600_000, day: dayMillis, week: 7 * dayMillis, month: 31 * dayMillis }
  return startOfBucket(granularity, start + longest[granularity])
}

describe("startOfBucket", () => {
  it("is where a calendar says", () => {
    for (const [granularity, instant, start] of table)
      assert.strictEqual(
        new Date(startOfBucket(granularity, Date.parse(instant))).toISOString(),
        start,
        `${granularity} of ${instant}`
      )
  })

  it("holds its instant, and stays where it is", () => {
    fc.assert(
      fc.property(anyGranularity, millis, (granularity, instant) => {
        const start = startOfBucket(granularity, instant)
        assert.isAtMost(start, instant)
        assert.isAbove(nextStart(granularity, start), instant)
        assert.strictEqual(startOfBucket(granularity, start), start)
        assert.isBelow(startOfBucket(granularity, start - 1), start)
        assert.strictEqual(Object.is(start, -0), false)
      }),
      { numRuns: 2000 }
    )
  })

  it("agrees with date arithmetic of its own", () => {
    fc.assert(
      fc.property(millis, (instant) => {
        const day = Math.floor(instant / dayMillis)
        assert.strictEqual(startOfBucket("day", instant), day * dayMillis + 0)
        const { day: dayOfMonth } = civil(day)
        assert.strictEqual(startOfBucket("month", instant), (day - dayOfMonth + 1) * dayMillis + 0)
        const weekday = new Date(day * dayMillis).getUTCDay()
        assert.strictEqual(startOfBucket("week", instant), (day - ((weekday + 6) % 7)) * dayMillis + 0)
        assert.strictEqual(startOfBucket("hour", instant) % 3_600_000, 0)
        assert.strictEqual(startOfBucket("minute", instant) % 60_000, 0)
      }),
      { numRuns: 2000 }
    )
  })
})

describe("bucketCount", () => {
  it("counts what a range touches", () => {
    const at = Date.parse
    const cases: readonly (readonly [Granularity, string, string, number])[] = [
      ["minute", "2026-08-24T10:30:00Z", "2026-08-24T10:31:00Z", 1],
      ["minute", "2026-08-24T10:30:59.999Z", "2026-08-24T10:31:00.001Z", 2],
      ["hour", "2026-08-24T00:00:00Z", "2026-08-25T00:00:00Z", 24],
      ["day", "2026-08-24T12:00:00Z", "2026-08-31T12:00:00Z", 8],
      ["day", "1969-12-31T00:00:00Z", "1970-01-02T00:00:00Z", 2],
      ["week", "2026-08-24T00:00:00Z", "2026-08-31T00:00:00Z", 1],
      ["week", "2026-08-23T00:00:00Z", "2026-08-31T00:00:00.001Z", 3],
      ["month", "2025-12-31T23:59:59.999Z", "2026-01-01T00:00:00Z", 1],
      ["month", "2025-12-31T23:59:59.999Z", "2026-02-01T00:00:00.001Z", 3],
      ["day", "2026-08-24T12:00:00Z", "2026-08-24T12:00:00Z", 0],
      ["day", "2026-08-25T12:00:00Z", "2026-08-24T12:00:00Z", 0]
    ]
    for (const [granularity, start, end, count] of cases)
      assert.strictEqual(bucketCount(granularity, at(start), at(end)), count, `${granularity} ${start} ${end}`)
  })

  it("counts as many as one meets on the way", () => {
    fc.assert(
      fc.property(
        anyGranularity,
        millis,
        fc.double({ min: 0, max: 40, noNaN: true }),
        (granularity, start, lengths) => {
          const length = nextStart(granularity, startOfBucket(granularity, start)) - startOfBucket(granularity, start)
          const end = Math.min(latest, start + Math.floor(length * lengths))
          let met = 0
          for (let at = startOfBucket(granularity, start); at < end; at = nextStart(granularity, at)) met++
          assert.strictEqual(bucketCount(granularity, start, end), start < end ? met : 0)
        }
      ),
      { numRuns: 1000 }
    )
  })
})

describe("formatBucket", () => {
  it("writes the minute, in UTC", () => {
    assert.strictEqual(formatBucket(Date.parse("2026-08-24T10:30:00Z")), "2026-08-24T10:30:00.000Z")
    assert.strictEqual(formatBucket(Date.parse("2026-08-24T10:30:59.999Z")), "2026-08-24T10:30:00.000Z")
    assert.strictEqual(formatBucket(-1), "1969-12-31T23:59:00.000Z")
    fc.assert(
      fc.property(anyGranularity, fc.integer({ min: -6e13, max: 2.5e14 }), (granularity, instant) => {
        const start = startOfBucket(granularity, instant)
        assert.match(formatBucket(start), /^\d{4}-\d\d-\d\dT\d\d:\d\d:00\.000Z$/)
        assert.strictEqual(Date.parse(formatBucket(start)), start)
      })
    )
  })
})
