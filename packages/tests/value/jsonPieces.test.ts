/** JSON in pieces: the same text, and never much of it in one step. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { requestSize } from "../../core/src/request/requestSize.ts"
import { jsonBytes, jsonPieces } from "../../core/src/value/printed.ts"

const stepsOf = <A>(steps: Generator<unknown, A>): { readonly steps: number; readonly result: A } => {
  for (let count = 0; ; count++) {
    const next = steps.next()
    if (next.done === true) return { steps: count, result: next.value }
  }
}

const sized = (content: unknown, fields: Readonly<Record<string, unknown>> = {}) => ({
  messages: [{ role: "user", content } as never],
  fields,
  modalities: null,
  n: 1
})

describe("JSON in pieces", () => {
  it("is what JSON.stringify writes, whatever is long in it", { tags: ["deep"] }, () =>
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: "binary" }), fc.nat(3), (value, text, kind) => {
        const long = `${text}\u{1f600}"`.repeat(30_000)
        const wide = Array.from({ length: 300 }, () => value)
        const whole: unknown = [{ value, long }, [wide, long], { a: { wide }, b: long, undefined }, value][kind]
        assert.strictEqual([...jsonPieces(whole)].join(""), JSON.stringify(whole))
        assert.strictEqual(Buffer.concat(stepsOf(jsonBytes(whole)).result).toString(), JSON.stringify(whole))
      }),
      { numRuns: 60 }
    )
  )

  it("writes a host's own values as JSON.stringify does, and does not follow one that holds itself", () => {
    const filled = Array.from({ length: 200 }, () => 1)
    const whole = { at: new Date(0), none: () => 1, list: [undefined, Symbol("a"), new Date(1)], filled }
    assert.strictEqual([...jsonPieces(whole)].join(""), JSON.stringify(whole))
    const loop: unknown[] = [filled]
    loop.push(loop)
    assert.throws(() => [...jsonPieces(loop)], RangeError)
  })

  it("leaves off between pieces: a string of 4 MiB, a list and an object of 50,000 members", () => {
    const numbers = Array.from({ length: 50_000 }, (_, index) => index)
    for (const value of [["é".repeat(2_097_152)], numbers, { a: Object.fromEntries(numbers.map((n) => [n, n])) }]) {
      const pieces = [...jsonPieces(value)]
      assert.isAtMost(Math.max(...pieces.map(({ length }) => length)), 140_000)
      assert.isAtLeast(stepsOf(jsonBytes(value)).steps, pieces.length)
    }
  })

  it("is counted in steps, to the byte, with a word that lies across two of them", () => {
    const text = "é".repeat(1_000_000)
    const { steps, result } = stepsOf(requestSize(sized(text), 0))
    assert.isAtLeast(steps, 15)
    assert.strictEqual(result.text_bytes, 2 + JSON.stringify({ role: "user", content: "" }).length + 2_000_000)
    for (let shift = 0; shift < 24; shift++) {
      const part = { type: "text", text: "x".repeat(65_500 + shift) }
      const cached = { type: "text", text: "y", cache_control: { type: "ephemeral", ttl: "1h" } }
      const { may } = stepsOf(requestSize(sized([part, cached]), 0)).result
      assert.deepEqual([may.cache, may.cache_1h], [true, true])
    }
  })
})
