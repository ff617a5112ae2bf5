import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { maxFreeBytes, measureJson, measuring, mostOfValues, weighJson } from "../../core/src/value/measureJson.ts"
import { runSteps } from "./runSteps.ts"

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

describe("all that a text takes", () => {
  it("is 290 bytes for each object, 70 for each list, comma and colon, and its text", () => {
    for (const [text, values] of [
      ["1", 0],
      ["{}", 290],
      ["[]", 70],
      ["[1,2,3]", 3 * 70],
      ['{"a":1}', 290 + 70],
      ['{"a":[{"b":null},"c"]}', 2 * 290 + 4 * 70],
      ['["{[,:"]', 70],
      ['["\\"{[,:",0]', 2 * 70],
      ['["\\\\",[]]', 3 * 70],
      ['["\\n",[]]', 3 * 70],
      ['["",{}]', 290 + 2 * 70]
    ] as const)
      assert.deepStrictEqual(weighJson(bytes(text)), { values, text: bytes(text).length }, text)
  })

  it("is twice its text where a character is beyond U+00FF, or may be", () => {
    for (const [text, isWide] of [
      ['"ÿ"', false],
      ['"Ā"', true],
      ['"\\n"', false],
      ['"\\u00e9"', true],
      ['"\\\\u00e9"', false],
      ['["","Ā"]', true]
    ] as const) {
      const sent = bytes(text)
      assert.strictEqual(weighJson(sent).text, isWide ? 2 * sent.length : sent.length, text)
    }
  })

  it("is never more than so many values can take", () => {
    const values = 50
    const weigh = (value: unknown) => weighJson(bytes(JSON.stringify(value))).values
    const most = mostOfValues(values)
    const nested = Array.from({ length: values - 1 }).reduce<object>((inner) => ({ a: inner }), {})
    for (const value of [
      Object.fromEntries(Array.from({ length: values - 1 }, (_, index) => [index, {}])),
      nested,
      Array.from({ length: values - 1 }, () => ({})),
      Array.from({ length: values - 1 }, () => [])
    ])
      assert.isAtMost(weigh(value), most)
    assert.isAtMost(most - weigh(Object.fromEntries(Array.from({ length: values - 1 }, (_, at) => [at, {}]))), 3 * 70)
  })

  it("is free up to 2,000 bytes, and beyond up to 70,000 bytes of values", () => {
    const short = bytes(`[${"1,".repeat(998)}10]`)
    assert.strictEqual(short.length, 2_000)
    assert.deepStrictEqual(measureJson(short), { values: 0, text: 0 })
    const longer = bytes(`[${"1,".repeat(999)}1]`)
    assert.strictEqual(longer.length, 2_001)
    assert.deepStrictEqual(measureJson(longer), { values: 0, text: 2_001 })
    const free = bytes(`[${"1,".repeat(999)}100]`)
    assert.deepStrictEqual(measureJson(free), { values: 0, text: free.length })
    const counted = bytes(`[${"1,".repeat(1_009)}1]`)
    assert.deepStrictEqual(measureJson(counted), { values: 1_010 * 70 - 70_000, text: counted.length })
  })

  it("is counted in steps of 256 KiB, also where one ends within an escape", () => {
    const step = 262_144
    for (const [size, steps] of [
      [step - 1, 1],
      [step, 1],
      [step + 1, 2],
      [2 * step, 2],
      [2 * step + 1, 3]
    ] as const)
      assert.strictEqual(runSteps(measuring(new Uint8Array(size).fill(0x20))).steps, steps, `${size}`)
    for (let shift = 0; shift < 3; shift++) {
      const text = `["${"x".repeat(step - 4 + shift)}\\"[[","[["${",1".repeat(2_000)}]`
      assert.strictEqual(measureJson(bytes(text)).values, 2_002 * 70 - 70_000)
    }
  })
})
