/** What ClickHouse computes in its own types, against the rules in JavaScript. */
import { bucketOf, integerBound, openClickhouse } from "@gatewarden/clickhouse/internal"
import { type Decimal, startOfBucket } from "@gatewarden/core/internal"
import { assert, describe, it } from "@effect/vitest"
import { startClickhouse } from "@gatewarden/testkit/clickhouse/startChdb"
import { Effect, Redacted } from "effect"
import * as fc from "fast-check"
import { compareToDecimal } from "../../core/src/value/money.ts"

const granularities = ["minute", "hour", "day", "week", "month"] as const

describe("expressions of ClickHouse", () => {
  it.live("find the bucket of an instant of any year", () =>
    Effect.gen(function* () {
      const clickhouse = yield* openClickhouse({ url: Redacted.make(yield* startClickhouse) })
      const first = Date.parse("0000-01-01T00:00:00.000Z")
      const last = Date.parse("9999-12-31T23:59:59.999Z")
      const instants = [
        first,
        last,
        -1,
        0,
        ...["0000-03-01", "1900-02-28", "1899-12-31", "2000-02-29", "2024-12-31", "2299-12-31", "2300-01-01"].map(
          Date.parse
        ),
        ...fc.sample(fc.integer({ min: first, max: last }), 300)
      ]
      const columns = granularities.map((granularity) => bucketOf(granularity, "at"))
      const rows = yield* clickhouse.rows(
        `SELECT ${columns.join(", ")} FROM (SELECT arrayJoin({instants:Array(Int64)}) AS at)`,
        { instants }
      )
      assert.deepEqual(
        rows.map((row) => row.map(Number)),
        instants.map((at) => granularities.map((granularity) => startOfBucket(granularity, at)))
      )
    }).pipe(Effect.scoped)
  )

  it("compare an integer with a decimal number as one with an integer", () => {
    const decimal: fc.Arbitrary<Decimal> = fc.record({
      digits: fc.bigInt({ min: -50n, max: 50n }),
      scale: fc.integer({ min: 0, max: 2 })
    })
    const compare = { eq: "===", neq: "!==", gt: ">", gte: ">=", lt: "<", lte: "<=" } as const
    const holds = (operator: keyof typeof compare, order: number): boolean =>
      ({ eq: order === 0, neq: order !== 0, gt: order > 0, gte: order >= 0, lt: order < 0, lte: order <= 0 })[operator]
    fc.assert(
      fc.property(
        fc.constantFrom("eq", "neq", "gt", "gte", "lt", "lte"),
        decimal,
        fc.bigInt({ min: -60n, max: 60n }),
        (operator, than, integer) => {
          const bound = integerBound(operator, than)
          const answer =
            typeof bound === "boolean"
              ? bound
              : holds(bound.operator, integer < bound.integer ? -1 : integer > bound.integer ? 1 : 0)
          assert.strictEqual(answer, holds(operator, compareToDecimal(integer, than)))
        }
      )
    )
    const huge = { digits: 10n ** 130n, scale: 0 }
    assert.strictEqual(integerBound("lt", huge), true)
    assert.strictEqual(integerBound("gte", huge), false)
    assert.strictEqual(integerBound("gt", { digits: -huge.digits, scale: 0 }), true)
    assert.strictEqual(integerBound("neq", huge), true)
    assert.strictEqual(integerBound("eq", huge), false)
  })
})
