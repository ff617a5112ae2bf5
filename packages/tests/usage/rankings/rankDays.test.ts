import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { rankDays, type RankingsSum } from "../../../core/src/usage/rankings/rankings.ts"

const date = fc.constantFrom("2025-12-29", "2026-01-01", "2026-01-05")
/** Few totals, so that ties lie across the border of fifty; names that code units and code points order differently. */
const total = fc.oneof(
  { weight: 8, arbitrary: fc.bigInt({ min: 0n, max: 3n }) },
  fc.constantFrom(2n ** 53n, 2n ** 53n + 1n, 10n ** 40n)
)
const name = fc.oneof(
  { weight: 10, arbitrary: fc.integer({ min: 0, max: 150 }).map((index) => `acme/m${index}`) },
  fc.constantFrom("acme/\uffee", "acme/\u{1f600}", "acme/\u{1f600}:free", "acme/m", "Acme/m")
)
const sums = fc.uniqueArray(
  fc.record({ date, model_permaslug: name, total_tokens: total }) satisfies fc.Arbitrary<RankingsSum>,
  { selector: (sum) => `${sum.date} ${sum.model_permaslug}`, maxLength: 260, size: "max" }
)

const points = (text: string) => [...text].map((letter) => letter.codePointAt(0) ?? 0)
const isBefore = (a: string, b: string): boolean => {
  const [left, right] = [points(a), points(b)]
  const at = left.findIndex((point, index) => point !== right[index])
  return at === -1 ? left.length < right.length : at >= right.length ? false : (left[at] ?? 0) < (right[at] ?? 0)
}

/** A model's place is the number of models that beat it. */
const beats = (a: RankingsSum, b: RankingsSum): boolean =>
  a.date === b.date &&
  (a.total_tokens > b.total_tokens ||
    (a.total_tokens === b.total_tokens && isBefore(a.model_permaslug, b.model_permaslug)))

describe("rankDays", () => {
  it("names the fifty that fewer than fifty beat, and sums the others", () => {
    fc.assert(
      fc.property(sums, (given) => {
        const positive = given.filter((sum) => sum.total_tokens > 0n)
        const expected = [...new Set(positive.map((sum) => sum.date))].sort().flatMap((date) => {
          const places: RankingsSum[] = []
          let rest = 0n
          for (const sum of positive.filter((other) => other.date === date)) {
            const place = positive.filter((other) => beats(other, sum)).length
            if (place < 50) places[place] = sum
            else rest += sum.total_tokens
          }
          return rest > 0n ? [...places, { date, model_permaslug: "other", total_tokens: rest }] : places
        })
        assert.deepEqual(
          rankDays(given),
          expected.map((sum) => ({ ...sum, total_tokens: String(sum.total_tokens) }))
        )
      }),
      { numRuns: 60, endOnFailure: true }
    )
  })

  it("does not change what it is given", () => {
    const given = [
      { date: "2026-01-02", model_permaslug: "acme/b", total_tokens: 1n },
      { date: "2026-01-01", model_permaslug: "acme/a", total_tokens: 2n }
    ]
    const copy = structuredClone(given)
    rankDays(given)
    assert.deepEqual(given, copy)
  })
})
