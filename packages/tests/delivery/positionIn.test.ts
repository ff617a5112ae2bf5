import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { positionIn } from "../../core/src/delivery/positionIn.ts"

/** Texts and values that repeat themselves, of lengths about that from which on another search is used. */
const repetitive = fc
  .array(fc.tuple(fc.constantFrom("a", "b", "ab", "aab", "語"), fc.integer({ min: 1, max: 150 })), { maxLength: 6 })
  .map((parts) => parts.map(([text, count]) => text.repeat(count)).join(""))

describe("the position of a value in a text", () => {
  it("is what the platform finds", () => {
    fc.assert(
      fc.property(repetitive, repetitive, fc.nat(600), fc.nat(600), (text, value, from, length) => {
        const part = text.slice(from, from + length)
        for (const one of [value, part, `${part}c`, part + value])
          assert.strictEqual(positionIn(text, one), text.indexOf(one))
      }),
      { numRuns: 500 }
    )
  })

  it("is found for a long value that almost matches everywhere", () => {
    const [half, text] = ["!".repeat(5_000), "!".repeat(65_536)]
    const value = `${half}b${half}`
    assert.strictEqual(positionIn(text, value), -1)
    assert.strictEqual(positionIn(text + value, value), 65_536)
  })
})
