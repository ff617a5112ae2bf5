import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { jsonTexts } from "../../core/src/filter/prompt/jsonTexts.ts"

const read = (json: string) => {
  const steps = jsonTexts(json)
  let count = 1
  let step = steps.next()
  for (; step.done !== true; step = steps.next()) count++
  return { texts: step.value, count }
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Every string, keys among them, in the order in which they are written. */
const stringsIn = (value: unknown): readonly string[] => {
  if (typeof value === "string") return [value]
  if (Array.isArray(value)) return value.flatMap(stringsIn)
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([key, one]) => [key, ...stringsIn(one)])
  return []
}

/** JSON with something put in or taken out, which is mostly none. */
const nearlyJson = fc
  .tuple(
    fc.json({ depthSize: "medium" }),
    fc.nat(),
    fc.nat(2),
    fc.constantFrom(...'{ } [ ] , : " \\ \\u 0 -1 01 1. .5 1e5 1E+ true nul \u0001 \n \ud800'.split(" "), " ", "\n")
  )
  .map(([json, where, cut, put]) => {
    const at = where % (json.length + 1)
    return json.slice(0, at) + put + json.slice(at + cut)
  })

describe("jsonTexts", () => {
  it("takes for JSON what JSON.parse takes for it", () =>
    fc.assert(
      fc.property(fc.oneof(nearlyJson, fc.json(), fc.string()), (json) => {
        assert.strictEqual(read(json).texts !== undefined, isJson(json), json)
      }),
      { numRuns: 5_000 }
    ))

  it("finds every string, and the numbers that are long", () => {
    const value = fc.jsonValue({ noUnicodeString: false }).filter((one) => !JSON.stringify(one).includes("__proto__"))
    fc.assert(
      fc.property(value, fc.nat(2), (one, indent) => {
        const json = JSON.stringify(one, null, indent)
        const found = (read(json).texts ?? assert.fail(json)).map(({ start, end }) => json.slice(start, end))
        const strings = found
          .filter((written) => written.startsWith('"'))
          .map((written) => JSON.parse(written) as string)
        assert.sameMembers(strings, [...stringsIn(JSON.parse(json))])
        for (const written of found.filter((text) => !text.startsWith('"'))) assert.match(written, /^-?\d.{5,}$/)
      }),
      { numRuns: 1_000 }
    )
    const json = "[12345678, 1.25, -1234.567e+8, 123456]"
    assert.deepEqual(
      read(json).texts?.map(({ start, end }) => json.slice(start, end)),
      ["12345678", "-1234.567e+8"]
    )
  })

  it("is left in between, however much there is of whatever", () => {
    for (const json of [
      `[${"1,".repeat(100_000)}1]`,
      "[".repeat(100_000) + "]".repeat(100_000),
      `[${" ".repeat(1e6)}]`
    ]) {
      const { texts, count } = read(json)
      assert.isDefined(texts)
      assert.isAtLeast(count, 20)
    }
  })
})
