import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { bytesOfValues, maxFreeBytes } from "../../src/value/bytesOfValues.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

const countValues = (value: unknown): number =>
  typeof value === "object" && value !== null
    ? 1 + Object.values(value).reduce<number>((sum, member) => sum + countValues(member), 0)
    : 1

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
