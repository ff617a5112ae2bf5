import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { isGuessable } from "../../core/src/key/key.ts"

describe("a key that a host brings", () => {
  it("is easy to guess where few characters are used, or a short text is repeated", () => {
    for (const key of [
      "k".repeat(32),
      "k".repeat(256),
      "ab".repeat(128),
      "abcdefgh".repeat(32),
      "0123456789abcdef".repeat(2),
      `${"0".repeat(28)}1234`,
      "0110".repeat(7) + "1001"
    ])
      assert.isTrue(isGuessable(key), key)
  })

  it("is not where 32 characters are random, of any alphabet from ten on", () => {
    for (const alphabet of ["0123456789", "0123456789abcdef", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"])
      fc.assert(
        fc.property(
          // Uniform, which fast-check's own choice is not.
          fc.noBias(fc.array(fc.nat({ max: alphabet.length - 1 }), { minLength: 32, maxLength: 32 })),
          (indices) => {
            const key = indices.map((index) => alphabet[index]).join("")
            assert.isFalse(isGuessable(key), key)
          }
        ),
        { seed: 20_261_123, numRuns: 1_000 }
      )
  })

  it("is no easier to guess for what follows", () => {
    const random = "q7Zt0bXw3LmN9rVc5HyKd2PfJg8SuA4e"
    assert.isFalse(isGuessable(random))
    assert.isFalse(isGuessable(random + "-".repeat(200)))
  })
})
