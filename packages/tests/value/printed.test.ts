import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { printed, printedInSteps } from "../../core/src/value/printed.ts"
import { joinBytes } from "../../core/src/value/bytes.ts"
import { maxPageBytes } from "../../core/src/value/Page.ts"

const inSteps = (value: unknown): string => {
  const steps = printedInSteps(value)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return new TextDecoder().decode(joinBytes(step.value))
  }
}

const both: readonly (readonly [string, (value: unknown) => string])[] = [
  ["at once", printed],
  ["in steps", inSteps]
]

/** An entry whose JSON has so many bytes, quotes included. */
const entry = (bytes: number, unit = "x") => unit.repeat((bytes - 2) / new TextEncoder().encode(unit).length)

describe("the JSON of an answer", () => {
  for (const [how, print] of both) {
    it(`${how} is that of the value`, () => {
      fc.assert(
        fc.property(fc.jsonValue(), fc.array(fc.jsonValue()), fc.nat(), (value, data, total_count) => {
          assert.deepEqual(JSON.parse(print(value)), JSON.parse(JSON.stringify(value)))
          const page = { data, total_count, warnings: [value] }
          assert.deepEqual(JSON.parse(print(page)), JSON.parse(JSON.stringify(page)))
        })
      )
    })

    it(`${how} ends a page before the entry that exceeds 4 MiB, and no other list`, () => {
      const half = maxPageBytes / 2
      for (const unit of ["x", "é", "語"]) {
        const fits = [entry(half, "x"), entry(half - ((half - 2) % 3) - (half % 2), unit)]
        const { data, total_count } = JSON.parse(print({ data: [...fits, "1", "2"], total_count: 9 }))
        assert.isAtLeast(data.length, 2)
        assert.isAtMost(new TextEncoder().encode(JSON.stringify(data)).length, maxPageBytes + data.length + 1)
        assert.strictEqual(total_count, 9)
      }
      assert.strictEqual(JSON.parse(print({ data: [entry(half), entry(half + 1)], total_count: 2 })).data.length, 1)
      assert.strictEqual(JSON.parse(print({ data: [entry(half), entry(half + 1)] })).data.length, 2)
    })

    it(`${how} has at least one entry, and says how many of SCIM's it has`, () => {
      const large = entry(maxPageBytes + 10)
      assert.strictEqual(JSON.parse(print({ data: [large, large], total_count: 2 })).data.length, 1)
      const list = { totalResults: 5, startIndex: 1, itemsPerPage: 3, Resources: [{ a: large }, { a: 1 }, { a: 2 }] }
      const { Resources, ...rest } = JSON.parse(print(list))
      assert.strictEqual(Resources.length, 1)
      assert.deepEqual(rest, { totalResults: 5, startIndex: 1, itemsPerPage: 1 })
    })
  }
})
