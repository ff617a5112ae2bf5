import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import {
  bucketOf,
  countedDays,
  resolveRankingsWindow,
  sampledBucketOf,
  type RankingsWindowRequest
} from "../../../core/src/usage/rankings/window.ts"

const today = "2026-08-24"
const exact = { sampled: false, today }
const sampled = { sampled: true, today }

const granted: readonly (readonly [
  request: RankingsWindowRequest,
  start: string,
  end: string,
  period: "day" | "week" | "month"
])[] = [
  [exact, "2026-07-24", "2026-08-23", "day"],
  [{ ...exact, start_date: undefined, end_date: undefined, period: undefined }, "2026-07-24", "2026-08-23", "day"],
  [sampled, "2026-07-24", "2026-08-23", "week"],
  [{ ...sampled, period: "month" }, "2026-07-24", "2026-08-23", "month"],
  [{ ...exact, period: "week" }, "2026-07-24", "2026-08-23", "week"],
  [{ ...exact, start_date: "2026-01-05", end_date: "2026-01-05" }, "2026-01-05", "2026-01-05", "day"],
  [{ ...exact, start_date: "2026-08-23" }, "2026-08-23", "2026-08-23", "day"],
  [{ ...exact, start_date: "2024-02-29" }, "2025-01-01", "2026-08-23", "day"],
  [{ ...exact, start_date: "0000-01-01", end_date: "9999-12-31" }, "2025-01-01", "2026-08-23", "day"],
  [{ ...exact, end_date: "2025-01-01" }, "2025-01-01", "2025-01-01", "day"],
  [{ ...exact, end_date: "2025-01-31" }, "2025-01-01", "2025-01-31", "day"],
  [{ ...exact, end_date: "2025-02-01" }, "2025-01-02", "2025-02-01", "day"],
  // The start is 30 days before the end that was asked for; only then is the end moved back to yesterday.
  [{ ...exact, end_date: "2026-08-24" }, "2026-07-25", "2026-08-23", "day"],
  [{ ...exact, end_date: "2026-09-22" }, "2026-08-23", "2026-08-23", "day"],
  [{ ...exact, start_date: "2026-08-01", end_date: "2030-01-01" }, "2026-08-01", "2026-08-23", "day"],
  [{ ...exact, today: "2025-01-02" }, "2025-01-01", "2025-01-01", "day"],
  [{ ...exact, today: "2028-03-31" }, "2028-02-29", "2028-03-30", "day"]
]

const refused: readonly (readonly [
  request: RankingsWindowRequest,
  code: "invalid_date_window" | "period_unavailable",
  path: string
])[] = [
  [{ ...exact, start_date: "2026-02-30" }, "invalid_date_window", "query.start_date"],
  [{ ...exact, start_date: "2026-2-3" }, "invalid_date_window", "query.start_date"],
  [{ ...exact, start_date: "" }, "invalid_date_window", "query.start_date"],
  [{ ...exact, start_date: "2026-08-01T00:00:00Z" }, "invalid_date_window", "query.start_date"],
  [{ ...exact, start_date: "2023-02-29" }, "invalid_date_window", "query.start_date"],
  [{ ...exact, end_date: "2026-13-01" }, "invalid_date_window", "query.end_date"],
  [{ ...exact, end_date: "20260801" }, "invalid_date_window", "query.end_date"],
  [{ ...exact, end_date: "2024-12-31" }, "invalid_date_window", "query.end_date"],
  [{ ...exact, end_date: "2024-12-31", start_date: "2024-12-01" }, "invalid_date_window", "query.end_date"],
  [{ ...exact, start_date: "2026-08-02", end_date: "2026-08-01" }, "invalid_date_window", "query.start_date"],
  [{ ...exact, start_date: "2026-08-24" }, "invalid_date_window", "query.start_date"],
  [{ ...exact, start_date: "2026-08-24", end_date: "2026-08-24" }, "invalid_date_window", "query.start_date"],
  [{ ...exact, start_date: "2027-01-01" }, "invalid_date_window", "query.start_date"],
  [{ ...exact, end_date: "2026-09-23" }, "invalid_date_window", "query.end_date"],
  [{ ...exact, today: "2025-01-01" }, "invalid_date_window", "query.start_date"],
  [{ ...sampled, period: "day" }, "period_unavailable", "query.period"],
  [{ ...sampled, period: "day", end_date: "2024-12-31" }, "invalid_date_window", "query.end_date"]
]

/** Days since 1970-01-01 of a date, and back, counted year by year and month by month. */
const lengths = (year: number) => [
  31,
  year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28,
  31,
  30,
  31,
  30,
  31,
  31,
  30,
  31,
  30,
  31
]
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
const dayNumber = (text: string) => {
  const [year = 0, month = 0, day = 0] = text.split("-").map(Number)
  let days = 0
  for (let past = 1970; past < year; past++) days += sum(lengths(past))
  return days + sum(lengths(year).slice(0, month - 1)) + day - 1
}
const dayText = (number: number) => {
  let [year, month, rest] = [1970, 0, number]
  for (; rest >= sum(lengths(year)); year++) rest -= sum(lengths(year))
  for (; rest >= (lengths(year)[month] ?? 0); month++) rest -= lengths(year)[month] ?? 0
  return [String(year).padStart(4, "0"), String(month + 1).padStart(2, "0"), String(rest + 1).padStart(2, "0")].join(
    "-"
  )
}
const floor = dayNumber("2025-01-01")
// 1970-01-01 was a Thursday.
const mondayOf = (day: number) => day - ((day + 3) % 7)

const day = fc.integer({ min: floor - 60, max: floor + 1500 })
const window = fc.tuple(day, day).map(([one, other]) => ({
  start_date: dayText(Math.max(floor, Math.min(one, other))),
  end_date: dayText(Math.max(floor, one, other))
}))

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })

/** The Mondays of the weeks that a sampled dataset counts. */
const weeks = (start_date: string, end_date: string): readonly string[] => {
  const { first, last } = countedDays({ start_date, end_date }, true)
  const mondays: string[] = []
  for (let number = dayNumber(first); number < dayNumber(last); number += 7) mondays.push(dayText(number))
  return mondays
}

describe("resolveRankingsWindow", () => {
  it("resolves defaults, then clamps", () => {
    for (const [request, start_date, end_date, period] of granted)
      assert.deepStrictEqual(
        resolveRankingsWindow(request),
        { ok: true, start_date, end_date, period },
        JSON.stringify(request)
      )
  })

  it("refuses", () => {
    for (const [request, code, path] of refused) {
      const result = resolveRankingsWindow(request)
      assert.include(result, { ok: false, code, path }, JSON.stringify(request))
    }
  })

  it("agrees with arithmetic on day numbers", () => {
    fc.assert(
      fc.property(
        optional(day),
        optional(day),
        optional(fc.constantFrom("day" as const, "week" as const, "month" as const)),
        fc.boolean(),
        day,
        (start, end, period, isSampled, now) => {
          const result = resolveRankingsWindow({
            start_date: start === undefined ? undefined : dayText(start),
            end_date: end === undefined ? undefined : dayText(end),
            period,
            sampled: isSampled,
            today: dayText(now)
          })
          const wantedEnd = end ?? now - 1
          const first = Math.max(floor, start ?? wantedEnd - 30)
          const last = Math.min(now - 1, wantedEnd)
          const wrong = (end !== undefined && end < floor) || (isSampled && period === "day") || first > last
          assert.strictEqual(result.ok, !wrong)
          if (!result.ok) return
          assert.deepStrictEqual([result.start_date, result.end_date], [dayText(first), dayText(last)])
          assert.strictEqual(result.period, period ?? (isSampled ? "week" : "day"))
          const again = resolveRankingsWindow({ ...result, sampled: isSampled, today: dayText(now) })
          assert.deepStrictEqual(again, result, "what is echoed asks for the same")
        }
      ),
      { numRuns: 2000 }
    )
  })
})

describe("bucketOf", () => {
  it("is the day, its Monday, its first of the month", () => {
    assert.strictEqual(bucketOf("day", "2025-01-01"), "2025-01-01")
    assert.strictEqual(bucketOf("week", "2025-01-01"), "2024-12-30")
    assert.strictEqual(bucketOf("month", "2025-01-31"), "2025-01-01")
    assert.strictEqual(bucketOf("week", "2026-08-23"), "2026-08-17")
    assert.strictEqual(bucketOf("week", "2026-08-24"), "2026-08-24")
    assert.strictEqual(sampledBucketOf("month", "2025-01-01"), "2024-12-01")
    assert.strictEqual(sampledBucketOf("month", "2026-09-01"), "2026-08-01")
    assert.strictEqual(sampledBucketOf("week", "2026-09-01"), "2026-08-31")
    fc.assert(
      fc.property(day, (number) => {
        const text = dayText(number)
        assert.strictEqual(bucketOf("day", text), text)
        assert.strictEqual(bucketOf("week", text), dayText(mondayOf(number)))
        assert.strictEqual(bucketOf("month", text), `${text.slice(0, 7)}-01`)
        assert.strictEqual(sampledBucketOf("week", text), bucketOf("week", text))
        assert.strictEqual(sampledBucketOf("month", text), `${dayText(mondayOf(number)).slice(0, 7)}-01`)
      })
    )
  })
})

describe("countedDays of a sampled dataset", () => {
  it("are the weeks whose Monday lies from the start's Monday to the end", () => {
    assert.deepStrictEqual(weeks("2025-01-01", "2025-01-01"), ["2024-12-30"])
    assert.deepStrictEqual(weeks("2026-08-17", "2026-08-23"), ["2026-08-17"])
    assert.deepStrictEqual(weeks("2026-08-16", "2026-08-24"), ["2026-08-10", "2026-08-17", "2026-08-24"])
    fc.assert(
      fc.property(window, ({ start_date, end_date }) => {
        const expected: string[] = []
        for (let number = floor - 100; number < floor + 1600; number++)
          if (number === mondayOf(number) && number >= mondayOf(dayNumber(start_date)) && number <= dayNumber(end_date))
            expected.push(dayText(number))
        assert.deepStrictEqual(weeks(start_date, end_date), expected)
      }),
      { numRuns: 30 }
    )
  })
})

describe("countedDays", () => {
  it("are the window, or the weeks from their first Monday to their last Sunday", () => {
    fc.assert(
      fc.property(window, (asked) => {
        assert.deepStrictEqual(countedDays(asked, false), { first: asked.start_date, last: asked.end_date })
        const mondays = weeks(asked.start_date, asked.end_date)
        const { first, last } = countedDays(asked, true)
        assert.strictEqual(first, mondays[0])
        assert.strictEqual(dayNumber(last), dayNumber(mondays.at(-1) ?? "") + 6)
        assert.isAtMost(dayNumber(first), dayNumber(asked.start_date))
        assert.isAtLeast(dayNumber(last), dayNumber(asked.end_date))
      }),
      { numRuns: 100 }
    )
  })
})
