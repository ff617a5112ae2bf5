import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { addSample, nothing, roundHalfUp } from "../../../core/src/usage/rankings/rankings.ts"

const estimate = (samples: readonly (readonly [tokens: bigint, weight: number])[]): bigint =>
  roundHalfUp(samples.reduce((sum, [tokens, weight]) => addSample(sum, tokens, weight), nothing))

describe("estimates", () => {
  const cases: readonly (readonly [string, readonly (readonly [bigint, number])[], bigint])[] = [
    ["nothing", [], 0n],
    ["a half goes up", [[1n, 0.5]], 1n],
    ["less than a half goes down", [[1n, 0.49999999999999994]], 0n],
    [
      "a half that binary fractions miss",
      [
        [1n, 0.1],
        [2n, 0.2]
      ],
      1n
    ],
    [
      "rounded once, not event by event",
      [
        [1n, 0.4],
        [1n, 0.4],
        [1n, 0.4]
      ],
      1n
    ],
    [
      "exponents",
      [
        [3n, 1e21],
        [5n, 1e-7]
      ],
      3n * 10n ** 21n
    ],
    [
      "the smallest and the greatest numbers",
      [
        [1n, 5e-324],
        [1n, 1.7976931348623157e308]
      ],
      17976931348623157n * 10n ** 292n
    ],
    ["more tokens than a number holds", [[2n * BigInt(Number.MAX_SAFE_INTEGER), 0.5]], BigInt(Number.MAX_SAFE_INTEGER)]
  ]
  for (const [name, samples, expected] of cases) it(name, () => assert.strictEqual(estimate(samples), expected))

  it("are the nearest integer to the exact sum, in whatever order", () => {
    const thousandths = fc.integer({ min: 1, max: 1_000_000 })
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.bigInt({ min: 0n, max: 2n ** 54n }), thousandths), { maxLength: 20 }),
        (drawn) => {
          const samples = drawn.map(([tokens, weight]) => [tokens, weight / 1000] as const)
          const exact = drawn.reduce((sum, [tokens, weight]) => sum + tokens * BigInt(weight), 0n)
          assert.strictEqual(estimate(samples), (exact + 500n) / 1000n)
          assert.strictEqual(estimate(samples.toReversed()), (exact + 500n) / 1000n)
        }
      )
    )
  })
})
