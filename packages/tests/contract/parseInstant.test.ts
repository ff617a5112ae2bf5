import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { instant, isDay, parseInstant, queryInstant } from "../../contract/src/internal.ts"

const instants: readonly (readonly [text: string, millis: number])[] = [
  ["1970-01-01T00:00:00Z", 0],
  ["1970-01-01T00:00:00.001Z", 1],
  ["1970-01-01T00:00:00.000999999Z", 0],
  ["1969-12-31T23:59:59.999999999Z", -1],
  ["1969-12-31T23:59:59.9Z", -100],
  ["1969-12-31T23:59:59.0001Z", -1000],
  ["2026-08-24T10:30:00Z", 1_787_567_400_000],
  ["2026-08-24T10:30:00.5Z", 1_787_567_400_500],
  ["2024-02-29T23:59:59.123456789Z", 1_709_251_199_123],
  ["2000-02-29T00:00:00Z", 951_782_400_000],
  ["0000-01-01T00:00:00Z", -62_167_219_200_000],
  ["0000-02-29T00:00:00Z", -62_162_121_600_000],
  ["0099-12-31T00:00:00Z", -59_011_545_600_000],
  ["9999-12-31T23:59:59.999Z", 253_402_300_799_999],
  ["2026-08-24T10:30:00+00:00", 1_787_567_400_000],
  ["2026-08-24T10:30:00-00:00", 1_787_567_400_000],
  ["2026-08-24T12:30:00.5+02:00", 1_787_567_400_500],
  ["2026-08-24T05:00:00-05:30", 1_787_567_400_000],
  ["2026-08-25T10:29:00.0009+23:59", 1_787_567_400_000],
  ["2024-03-01T01:00:00+02:00", 1_709_247_600_000],
  ["0000-01-01T02:00:00+02:00", -62_167_219_200_000],
  ["9999-12-31T21:59:59.999-02:00", 253_402_300_799_999]
]

const noInstants = [
  "",
  "2026-08-24",
  "2026-08-24T10:30Z",
  "2026-08-24T10:30:00",
  "2026-08-24T10:30:00z",
  "2026-08-24t10:30:00Z",
  "2026-08-24 10:30:00Z",
  "2026-08-24T10:30:00+24:00",
  "2026-08-24T10:30:00+02:60",
  "2026-08-24T10:30:00+2:00",
  "2026-08-24T10:30:00+02",
  "2026-08-24T10:30:00+0200",
  "2026-08-24T10:30:00+02:00:00",
  "2026-08-24T10:30:00 02:00",
  "2026-08-24T10:30:00+02:00Z",
  "2026-08-24T10:30:00Z+02:00",
  "2026-08-24T10:30:00\u221202:00",
  "2026-02-29T23:00:00-02:00",
  "2026-04-31T00:00:00+02:00",
  "0000-01-01T01:59:59.999+02:00",
  "9999-12-31T22:00:00-02:00",
  "2026-08-24T10:30:00.Z",
  "2026-08-24T10:30:00,5Z",
  "2026-08-24T10:30:00.1234567890Z",
  "2026-08-24T10:30:00.5",
  "2026-08-24T24:00:00Z",
  "2026-08-24T23:60:00Z",
  "2016-12-31T23:59:60Z",
  "2026-08-24T1:30:00Z",
  "2026-8-24T10:30:00Z",
  "26-08-24T10:30:00Z",
  "+002026-08-24T10:30:00Z",
  "-000001-08-24T10:30:00Z",
  "12026-08-24T10:30:00Z",
  "20260824T103000Z",
  "2026-236T10:30:00Z",
  "2026-W35-1T10:30:00Z",
  "2026-02-29T00:00:00Z",
  "1900-02-29T00:00:00Z",
  "2026-02-30T00:00:00Z",
  "2026-04-31T00:00:00Z",
  "2026-13-01T00:00:00Z",
  "2026-00-01T00:00:00Z",
  "2026-01-00T00:00:00Z",
  "2026-01-32T00:00:00Z",
  " 2026-08-24T10:30:00Z",
  "2026-08-24T10:30:00Z ",
  "2026-08-24T10:30:00Z\n",
  "2026-08-24T10:30:00ZZ",
  "２０２６-08-24T10:30:00Z",
  "Mon, 24 Aug 2026 10:30:00 GMT",
  "1787567400"
]

/** The number of days in a month, by the calendar that the platform keeps. */
const daysIn = (year: number, month: number) => {
  const next = new Date(0)
  next.setUTCFullYear(year, month, 0)
  return next.getUTCDate()
}

const two = (value: number) => String(value).padStart(2, "0")
const four = (value: number) => String(value).padStart(4, "0")
const calendar = fc.record({
  year: fc.oneof(fc.integer({ min: 0, max: 9999 }), fc.constantFrom(1900, 2000, 2023, 2024, 2100, 2400)),
  month: fc.oneof(fc.integer({ min: 0, max: 14 }), fc.constant(2)),
  day: fc.oneof(fc.integer({ min: 0, max: 33 }), fc.integer({ min: 28, max: 31 }))
})

describe("parseInstant", () => {
  it("reads", () => {
    for (const [text, millis] of instants) assert.strictEqual(parseInstant(text), millis, text)
  })

  it("refuses", () => {
    for (const text of noInstants) assert.isUndefined(parseInstant(text), JSON.stringify(text))
  })

  it("reads whatever a date prints, and cuts what is finer than a millisecond", () => {
    const millis = fc.integer({ min: Date.parse("0000-01-01T00:00:00Z"), max: Date.parse("9999-12-31T23:59:59.999Z") })
    fc.assert(
      fc.property(millis, fc.string({ unit: fc.constantFrom(..."0123456789"), maxLength: 6 }), (instant, finer) => {
        const text = new Date(instant).toISOString()
        assert.strictEqual(parseInstant(text), instant)
        assert.strictEqual(parseInstant(text.replace("Z", `${finer}Z`)), instant)
        if (instant % 1000 === 0) assert.strictEqual(parseInstant(text.replace(".000Z", "Z")), instant)
      })
    )
  })

  it("takes exactly the times that clocks show", () => {
    fc.assert(
      fc.property(
        calendar,
        fc.nat({ max: 26 }),
        fc.nat({ max: 62 }),
        fc.nat({ max: 62 }),
        (date, hour, minute, second) => {
          const day = `${four(date.year)}-${two(date.month)}-${two(date.day)}`
          const text = `${day}T${two(hour)}:${two(minute)}:${two(second)}Z`
          const exists = isDay(day) && hour < 24 && minute < 60 && second < 60
          assert.strictEqual(parseInstant(text) !== undefined, exists, text)
          if (exists) assert.strictEqual(new Date(parseInstant(text) ?? NaN).toISOString(), text.replace("Z", ".000Z"))
        }
      ),
      { numRuns: 1000 }
    )
  })
})

describe("the schema of an instant", () => {
  const offset = fc.integer({ min: -1439, max: 1439 })
  const printedIn = (millis: number, minutes: number): string => {
    const ahead = Math.abs(minutes)
    const sign = minutes < 0 ? "-" : "+"
    return new Date(millis + minutes * 60_000)
      .toISOString()
      .replace("Z", `${sign}${two(Math.floor(ahead / 60))}:${two(ahead % 60)}`)
  }
  // A day off both ends, so that the local time has a year of four digits.
  const millis = fc.integer({ min: Date.parse("0000-01-02T00:00:00Z"), max: Date.parse("9999-12-30T23:59:59.999Z") })

  it("reads one instant from every offset, in a body and in a query", () => {
    fc.assert(
      fc.property(millis, offset, (instantOf, minutes) => {
        const utc = new Date(instantOf).toISOString()
        const text = printedIn(instantOf, minutes)
        assert.strictEqual(instant().parse(text), utc)
        assert.strictEqual(instant().parse(utc), utc)
        const { value } = Object.fromEntries(new URLSearchParams(`value=${text}`))
        assert.strictEqual(queryInstant.parse(value), utc)
        assert.strictEqual(queryInstant.parse(text), utc)
      }),
      { numRuns: 1000 }
    )
  })

  it("refuses years outside of four digits, after conversion", () => {
    const edges = fc.constantFrom("0000-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z")
    fc.assert(
      fc.property(edges, fc.integer({ min: 1, max: 1439 }), (edge, minutes) => {
        const beyond = edge.startsWith("0") ? "+" : "-"
        const within = beyond === "+" ? "-" : "+"
        const clock = `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
        assert.isFalse(instant().safeParse(edge.replace("Z", `${beyond}${clock}`)).success)
        assert.isTrue(instant().safeParse(edge.replace("Z", `${within}${clock}`)).success)
      })
    )
  })

  it("names the reason of a range, and takes a space for a plus in a query alone", () => {
    const text = "2026-08-24T12:30:00 02:00"
    for (const reason of [undefined, "invalid_time_range"] as const) {
      const issue = instant(reason).safeParse(text).error?.issues[0]
      assert.deepEqual(issue?.code === "custom" && issue.params, { code: "invalid_timestamp", reason })
    }
    assert.strictEqual(queryInstant.parse(text), "2026-08-24T10:30:00.000Z")
    for (const other of ["2026-08-24 10:30", "2026-08-24 10:30:00", "2026-08-24T10:30:00  02:00", ""])
      assert.isFalse(queryInstant.safeParse(other).success, other)
  })
})

describe("isDay", () => {
  it("takes exactly the days of the calendar", () => {
    fc.assert(
      fc.property(calendar, ({ year, month, day }) => {
        const exists = month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month)
        assert.strictEqual(isDay(`${four(year)}-${two(month)}-${two(day)}`), exists)
      }),
      { numRuns: 1000 }
    )
  })

  it("takes only the padded form", () => {
    assert.isTrue(isDay("2024-02-29"))
    for (const text of [
      "",
      "2024-2-29",
      "2024-02-9",
      "24-02-29",
      "20240229",
      "2024/02/29",
      "2024-02-29T00:00:00Z",
      " 2024-02-29",
      "2024-02-29\n",
      "-2024-02-29",
      "+02024-02-29",
      "2024-02",
      "2024-02-29 "
    ])
      assert.isFalse(isDay(text), JSON.stringify(text))
  })
})
