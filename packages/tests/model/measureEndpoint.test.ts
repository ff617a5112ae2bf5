import { assert, it } from "@effect/vitest"
import * as fc from "fast-check"
import { nearestRank } from "../../core/src/model/measureEndpoint.ts"

it("is the smallest value that so many percent of the values do not exceed", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 220 }),
      fc.constantFrom(1, 50, 75, 90, 99, 100),
      (values, percent) => {
        const ascending = values.toSorted((a, b) => a - b)
        const expected = ascending.find(
          (value) => values.filter((other) => other <= value).length * 100 >= percent * values.length
        )
        assert.strictEqual(nearestRank(ascending, percent), expected)
      }
    )
  )
})
