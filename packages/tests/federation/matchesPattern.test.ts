import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { matchesAnything, matchesPattern } from "../../core/src/federation/judgeClaims.ts"

const letters = fc.string({ unit: fc.constantFrom("a", "b", "*", "/"), maxLength: 8 })

describe("matchesPattern", () => {
  it("matches what a regular expression of the same meaning matches", () => {
    fc.assert(
      fc.property(letters, fc.string({ unit: fc.constantFrom("a", "b", "/"), maxLength: 12 }), (pattern, text) => {
        const meaning = new RegExp(`^${pattern.replaceAll(/\*+/g, ".*")}$`, "s")
        assert.strictEqual(matchesPattern(pattern, text), meaning.test(text))
      }),
      { numRuns: 2_000 }
    )
  })

  it("takes everything but the star for itself", () => {
    assert.isTrue(matchesPattern("a.c", "a.c"))
    assert.isFalse(matchesPattern("a.c", "abc"))
    assert.isFalse(matchesPattern("aba*aba", "aba"))
    assert.isTrue(matchesPattern("*", "\n"))
  })

  it("knows what lets everything pass", () => {
    assert.deepEqual(["*", "**", "", "a*"].map(matchesAnything), [true, true, false, false])
  })
})
