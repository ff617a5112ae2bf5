/** Held to `parseJson`, which reads at once what is read in steps here. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { parseJson, type ParsedJson } from "../../core/src/value/parseJson.ts"
import { parsing } from "../../core/src/value/parseLongJson.ts"
import { runSteps } from "./runSteps.ts"

const utf8 = new TextEncoder()

/** What a reading comes to, and in how many steps. */
const read = (bytes: Uint8Array, maxValues = Infinity): { readonly result: ParsedJson; readonly steps: number } => {
  const steps = parsing(bytes, maxValues)
  for (let count = 1; ; count++) {
    const step = steps.next()
    if (step.done === true) return { result: step.value, steps: count }
  }
}

const same = (text: string | Uint8Array): number => {
  const bytes = typeof text === "string" ? utf8.encode(text) : text
  const { result, steps } = read(bytes)
  assert.deepStrictEqual(result, parseJson(bytes))
  return steps
}

const padding = "x".repeat(40_000)
const long = fc.constantFrom(
  padding,
  `é"\\\n${padding}`,
  "🙂".repeat(30_000),
  `${"\\".repeat(33_000)}`,
  "\u0001".repeat(9_000)
)

/** Values some of whose strings and keys are longer than a step. */
const value = fc.letrec<{ readonly value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthSize: "medium" },
    fc.constantFrom(null, true, false, 0, -1.5e10),
    fc.string({ unit: "grapheme" }),
    long,
    fc.array(tie("value"), { maxLength: 6 }),
    fc
      .array(fc.tuple(fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "7", padding)), tie("value")), {
        maxLength: 6
      })
      .map((entries) => Object.fromEntries(entries))
  )
})).value

describe("a long JSON text", () => {
  it("is what it would be read at once", () =>
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 1, "\r\n\t"), (value, indent) => {
        same(JSON.stringify(value, null, indent))
      }),
      { numRuns: 300 }
    ))

  it("keeps every key its own, __proto__ among them", () => {
    const text = `{"__proto__":{"a":1},"a":"${padding}","b":{"__proto__":"${padding}"}}`
    same(text)
    const { result } = read(utf8.encode(text))
    assert.isTrue(result.ok && Object.hasOwn(result.value as object, "__proto__"))
  })

  it("is read in steps, whatever is long in it", { tags: ["deep"] }, () => {
    const many = 600_000
    for (const text of [
      `{"messages":[${Array.from({ length: many / 10 }, () => '{"role":"user","content":"hello"}').join()}]}`,
      `[${"[],".repeat(many)}0]`,
      `[${Array.from({ length: many / 5_000 }, () => `{${Array.from({ length: 5_000 }, (_, index) => `"key${index}":${index}`).join()}}`).join()}]`,
      JSON.stringify("x".repeat(3_000_000)),
      JSON.stringify({ ["k".repeat(3_000_000)]: '"'.repeat(3_000_000) }),
      JSON.stringify({ a: [{ b: "é".repeat(2_000_000) }] })
    ])
      assert.isAbove(same(text), (2 * text.length) / 65_536)
  })

  it("is refused for what is wrong in it, at the same place", () => {
    const long = `[${'{"a":"é🙂"},'.repeat(20_000)}`
    for (const end of [
      "]",
      "1",
      '{"a":1,"a":2}]',
      '"\\ud800"]',
      '"\\u0000"]',
      `${"[".repeat(70)}`,
      '"\u0001"]',
      `"${padding}`,
      "01]",
      "tru]",
      "{}]}"
    ])
      same(long + end)
    for (const at of [0, 10, 1_048_575, 1_048_576, 1_048_577, 1_500_000]) {
      for (const wrong of [0xff, 0x80, 0xc3, 0xf0]) {
        const bytes = utf8.encode(JSON.stringify("é".repeat(800_000)))
        bytes[at] = wrong
        same(bytes)
      }
    }
    same(utf8.encode(JSON.stringify("🙂".repeat(300_000))).subarray(0, 1_048_577))
  })

  it("may hold strings of 16 MiB of memory and no longer, each made in a slice of its own", { tags: ["deep"] }, () => {
    const text = (content: string) => utf8.encode(JSON.stringify(content))
    for (const longest of ["x".repeat(16_777_216), "€".repeat(8_388_608)]) {
      const { value, long } = runSteps(parsing(text(longest), Infinity))
      assert.isTrue(value.ok && value.value === longest)
      assert.strictEqual(long, 1)
      assert.deepInclude(read(text(`${longest}x`)).result, { ok: false, code: "too_long_string" })
    }
  })

  it("is read in steps where it is blank, and where characters are cut", () => {
    const blank = " ".repeat(1_000_000)
    assert.isAbove(same(`[${blank}1${blank},{${blank}"a"${blank}:${blank}1${blank}}${blank}]`), 80)
    for (let shift = 0; shift < 4; shift++) same(JSON.stringify(`${"x".repeat(shift)}${"🙂é€".repeat(20_000)}`))
  })

  it("may hold so many values and no more", () => {
    const bytes = utf8.encode('{"a":[1,2,{"b":null}]}')
    assert.isTrue(read(bytes, 6).result.ok)
    assert.deepInclude(read(bytes, 5).result, { ok: false, code: "too_many_values", path: "a.2.b" })
  })

  it("may hold objects of so many members and no more", () => {
    const wide = (members: number) =>
      utf8.encode(
        JSON.stringify({ a: [Object.fromEntries(Array.from({ length: members }, (_, at) => [`k${at}`, at]))] })
      )
    assert.isTrue(read(wide(5_000)).result.ok)
    assert.deepInclude(read(wide(5_001)).result, { ok: false, code: "too_many_members" })
  })
})
