import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { bytesOfText, bytesOfValues, maxFreeBytes } from "../../src/value/bytesOfValues.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

const countValues = (value: unknown): number =>
  typeof value === "object" && value !== null
    ? 1 + Object.values(value).reduce<number>((sum, member) => sum + countValues(member), 0)
    : 1

describe("bytesOfText", () => {
  it("counts what strings take beyond 16 KiB: two bytes a character with one beyond U+00FF", () => {
    const json = (text: string, more: string) => bytes(JSON.stringify([text, more]))
    const text = "x".repeat(20_000)
    assert.strictEqual(bytesOfText(json("x".repeat(16_000), "€")), 0)
    const plain = json(text, "é")
    assert.strictEqual(bytesOfText(plain), plain.length - 16_384)
    for (const wide of ["€", "Ā", "😀"]) {
      const sent = json(text, wide)
      assert.strictEqual(bytesOfText(sent), 2 * (sent.length - 16_384))
    }
    const escaped = bytes(`["${text}\\u20ac"]`)
    assert.strictEqual(bytesOfText(escaped), 2 * (escaped.length - 16_384))
  })
})

describe("bytesOfValues", () => {
  it("knows strings across the borders of its steps", () => {
    const text = (size: number) => bytes(`["${"x".repeat(size)}\\"[[[[","[[[["${",1".repeat(2_000)}]`)
    const expected = bytesOfValues(text(0))
    for (let size = 262_100; size < 262_160; size++) assert.strictEqual(bytesOfValues(text(size)), expected)
  })

  it("counts nothing of an ordinary text, whatever its strings hold", () => {
    assert.strictEqual(bytesOfValues(bytes(JSON.stringify({ text: '[{",\\"'.repeat(10_000) }))), 0)
    assert.strictEqual(bytesOfValues(bytes("[".repeat(maxFreeBytes))), 0)
  })

  it("counts at least 70 bytes for each value beyond a thousand", () => {
    const value = fc.letrec((tie) => ({
      any: fc.oneof({ maxDepth: 3 }, fc.string(), fc.integer(), fc.constant(null), tie("list"), tie("object")),
      list: fc.array(tie("any"), { maxLength: 4 }),
      object: fc.dictionary(fc.string(), tie("any"), { maxKeys: 4 })
    })).any
    fc.assert(
      fc.property(value, (one) => {
        const many = Array.from({ length: 2_000 }, () => one)
        assert.isAtLeast(bytesOfValues(bytes(JSON.stringify(many))), (countValues(many) - 1_001) * 70)
      }),
      { numRuns: 20 }
    )
  })
})
