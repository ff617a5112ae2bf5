import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { maxFreeBytes, measureJson } from "../../core/src/value/measureJson.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

/** Objects and other values. */
const count = (value: unknown): readonly [number, number] => {
  if (typeof value !== "object" || value === null) return [0, 1]
  const counts = Object.values(value).map(count)
  const [own, other] = Array.isArray(value) ? [0, 1] : [1, 0]
  return [
    counts.reduce((sum, [objects]) => sum + objects, own),
    counts.reduce((sum, [, others]) => sum + others, other)
  ]
}

describe("measureJson", () => {
  it("counts no values of an ordinary text, whatever its strings hold", () => {
    assert.strictEqual(measureJson(bytes(JSON.stringify({ text: '[{",\\"'.repeat(10_000) }))).values, 0)
    assert.deepEqual(measureJson(bytes("[".repeat(maxFreeBytes))), { values: 0, text: 0 })
  })

  it("knows strings across the borders of its steps", () => {
    const text = (size: number) => bytes(`["${"x".repeat(size)}\\"[[[[","[[[["${",1".repeat(2_000)}]`)
    const { values } = measureJson(text(0))
    for (let size = 262_100; size < 262_160; size++) assert.strictEqual(measureJson(text(size)).values, values)
  })

  it("counts at least 290 bytes for each object and 70 for each other value", () => {
    const value = fc.letrec((tie) => ({
      any: fc.oneof({ maxDepth: 3 }, fc.string(), fc.integer(), fc.constant(null), tie("list"), tie("object")),
      list: fc.array(tie("any"), { maxLength: 4 }),
      object: fc.dictionary(fc.string(), tie("any"), { maxKeys: 4 })
    })).any
    fc.assert(
      fc.property(value, (one) => {
        const many = Array.from({ length: 2_000 }, () => one)
        const [objects, others] = count(many)
        assert.isAtLeast(measureJson(bytes(JSON.stringify(many))).values, objects * 290 + (others - 1) * 70 - 70_000)
      }),
      { numRuns: 20 }
    )
  })

  it("counts two bytes of text for each that arrived if a character is beyond U+00FF", () => {
    const text = "x".repeat(20_000)
    for (const plain of ["é", "ÿ", "\n"]) {
      const sent = bytes(JSON.stringify([text, plain]))
      assert.strictEqual(measureJson(sent).text, sent.length)
    }
    for (const wide of ["Ā", "€", "😀"]) {
      const sent = bytes(JSON.stringify([text, wide]))
      assert.strictEqual(measureJson(sent).text, 2 * sent.length)
    }
    const escaped = bytes(`["${text}\\u20ac"]`)
    assert.strictEqual(measureJson(escaped).text, 2 * escaped.length)
  })
})
