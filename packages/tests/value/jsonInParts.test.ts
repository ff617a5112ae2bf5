/** A long JSON text is read in parts. No place where it may be cut changes what it says. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type JsonProblem, type JsonProblemCode, parseJson } from "../../core/src/value/parseJson.ts"
import { longJsonSize, parseBody, parseLongJson, parsing } from "../../core/src/value/parseLongJson.ts"
import { runSteps } from "./runSteps.ts"

const utf8 = new TextEncoder()

const refused = (code: JsonProblemCode, message: string, path = ""): JsonProblem => ({ ok: false, code, path, message })

/** Is read as `parseJson` reads it; so many steps it takes. */
const same = (text: string | Uint8Array): number => {
  const bytes = typeof text === "string" ? utf8.encode(text) : text
  const { value, steps } = runSteps(parsing(bytes, Infinity))
  assert.deepStrictEqual(value, parseJson(bytes))
  return steps
}

const accepted = (text: string): number => {
  assert.deepStrictEqual(parseJson(utf8.encode(text)), { ok: true, value: JSON.parse(text) })
  return same(text)
}

/** What `JSON.parse` reads at a time has 32 KiB. */
const part = 32_768
const long = "x".repeat(40_000)
const numbers = Array.from({ length: 5_000 }, (_, index) => index * 1.5).join()

describe("a JSON text in parts", () => {
  it("may be short", () => {
    for (const text of ["1", " -1.5e3 ", "true", '"é"', '""', "[]", "{}", " [ 1 , {} ] ", '{"a":{"":[null]}}'])
      assert.strictEqual(accepted(text), 2, text)
    for (const text of ["", " ", "[1", "tru", '{"a"}', "1 2"]) same(text)
  })

  it("has strings of any length, and escapes where they are cut", () => {
    for (const unit of ["é", "語", "🙂", '\\"', "\\\\", "\\u00e9", "\\ud83d\\ude42"])
      for (let shift = 0; shift < 3; shift++)
        for (const size of [part - 20, part])
          accepted(`["${"x".repeat(shift + size - unit.length * 5)}${unit.repeat(20)}"]`)
  })

  for (const text of [`"${long}"`, `"${"語🙂".repeat(8_000)}"`, `"${'\\"\\u00e9'.repeat(5_000)}"`, "1".repeat(40_000)])
    it(`is one value: ${text.slice(0, 12)}`, () => {
      accepted(text)
      accepted(` ${text} `)
    })

  for (const end of ["", " ", "\n", "\t", "\r"])
    it(`has words that end before ${JSON.stringify(end)} or what follows`, () => {
      accepted(`[${`true${end},0.5${end},null${end},[false${end}],{"a":1e5${end}},`.repeat(800)}0${end}]`)
    })

  it("has members of every kind in a run", () => {
    const members = Array.from(
      { length: 1_200 },
      (_, index) => `"k${index}":[${index},"\\"}],{"],"\\\\${index}" : {"é":{}}`
    )
    const steps = accepted(`{${members.join()}}`)
    assert.isAtLeast(steps, 3)
    assert.isAtMost(steps, 6)
  })

  it("is read in about as many steps as it has parts", () => {
    const text = `[${`${numbers},`.repeat(5)}0]`
    const steps = accepted(text)
    assert.isAtLeast(steps, Math.floor(text.length / part) + Math.floor(text.length / 65_536))
    assert.isAtMost(steps, Math.ceil(text.length / part) + Math.ceil(text.length / 65_536) + 2)
  })

  for (const text of [
    `["${long}"]`,
    `["${long}",1]`,
    `[1,"${long}"]`,
    `[1,"${long}",[2],"${long}","${long}",3,4]`,
    `[[["${long}"]],[[],"${long}"]]`,
    `[${numbers},"${long}",${numbers}]`,
    `{"a":"${long}"}`,
    `{"a":"${long}","b":1}`,
    `{"a":1,"b":2,"c":"${long}"}`,
    `{"a":1,"b":["${long}"],"c":{"d":"${long}"},"e":[${numbers}],"f":"","g":"${long}"}`,
    `{"a\\u00e9" \n : "${long}" , "":1}`,
    `{"":"${long}"}`,
    `{"${long}":1}`,
    `{"${long}":{"${long}":"${long}"}}`,
    `{"__proto__":["${long}"],"a":1}`,
    `{"a":"${long}","__proto__":{"b":1}}`,
    `[1,${"2".repeat(40_000)},3]`,
    `{"a":0.${"2".repeat(40_000)},"b":1e-${"0".repeat(40_000)}1}`
  ])
    it(`has what is longer than a part: ${text.replaceAll(/(.)\1{9,}|(?:[\d.]+,){9,}/g, "…")}`, () => {
      accepted(text)
    })

  it("keeps `__proto__` an own member that can be changed", () => {
    const { value } = runSteps(parsing(utf8.encode(`{"__proto__":{"a":1},"b":"${long}"}`), Infinity))
    const object = value.ok ? value.value : undefined
    assert.deepStrictEqual(Object.getOwnPropertyDescriptor(object, "__proto__"), {
      value: { a: 1 },
      writable: true,
      enumerable: true,
      configurable: true
    })
  })

  const blanks = " \n\t\r".repeat(17_000)
  for (const text of [
    "_1",
    "1_",
    "[_]",
    "[[_],1]",
    '{"a":{_},"b":1}',
    "[1_]",
    "[1,_2]",
    "{_}",
    '{_"a":1}',
    '{"a"_:1}',
    '{"a":_1}',
    '{"a":1,_"b":2}'
  ])
    it(`has blanks longer than a step: ${text}`, () => {
      assert.isAtMost(accepted(text.replace("_", blanks)), 12)
    })

  it("has blanks between a long key, its colon and a long value", () => {
    accepted(`{"${long}"${blanks}:"${long}"}`)
    accepted(`{"${long}":${blanks}"${long}"}`)
  })

  it("has so many values and no more", () => {
    const bytes = utf8.encode('{"a":[1,2,{"b":null}]}')
    assert.isTrue(runSteps(parsing(bytes, 6)).value.ok)
    assert.deepStrictEqual(
      runSteps(parsing(bytes, 5)).value,
      refused("too_many_values", "More than 5 values in one body at position 15", "a.2.b")
    )
  })

  describe("of bytes that are not UTF-8", () => {
    const decoded = 262_144
    for (const at of [1, decoded - 5, decoded - 1, decoded, decoded + 1, decoded + 5])
      for (const [character, wrong] of [
        ["é", 0xff],
        ["é", 0x41],
        ["é", 0xf0],
        ["🙂", 0x22],
        ["語", 0xc3]
      ] as const)
        it(`says where: ${wrong} at ${at} among ${character}`, () => {
          const bytes = utf8.encode(`"${character.repeat(Math.ceil((decoded + 20) / utf8.encode(character).length))}"`)
          bytes[at] = wrong
          const { value } = runSteps(parsing(bytes, Infinity))
          assert.deepStrictEqual(value, parseJson(bytes))
          assert.include(value, { ok: false, code: "invalid_utf8", path: "" })
        })

    it("says where a character begins that is not all there", () => {
      for (const size of [decoded - 1, decoded, decoded + 1]) {
        const bytes = utf8.encode(`"${"x".repeat(size)}`).subarray(0, size)
        bytes[size - 1] = 0xc3
        assert.deepStrictEqual(
          runSteps(parsing(bytes, Infinity)).value,
          refused("invalid_utf8", `Not valid UTF-8 near byte ${size - 1}`)
        )
      }
    })

    it("takes a character that lies across two pieces", () => {
      for (let shift = 0; shift < 4; shift++) {
        const bytes = utf8.encode(`"${"x".repeat(decoded - 4 + shift)}🙂é"`)
        assert.deepStrictEqual(runSteps(parsing(bytes, Infinity)).value, {
          ok: true,
          value: `${"x".repeat(decoded - 4 + shift)}🙂é`
        })
      }
    })
  })

  describe("with a string that takes more memory than one may", () => {
    const tooLong = refused(
      "too_long_string",
      "A string of more than 16777216 characters, or of more than 8388608 with any beyond U+00FF"
    )
    const read = (text: string) => runSteps(parsing(utf8.encode(text), Infinity, false, 40_000)).value
    const most = "x".repeat(40_000)
    const mostWide = `${"x".repeat(19_999)}€`

    for (const text of [most, "é".repeat(40_000), mostWide, `€${"x".repeat(19_999)}`, `${"x".repeat(19_998)}🙂`])
      it(`is refused, and accepted with none: ${text[0]} to ${text.at(-1)}`, () => {
        assert.deepStrictEqual(read(`"${text}"`), { ok: true, value: text })
        // A string of two bytes a character is short enough to lie in a run.
        const more = text.length < part ? text + "x".repeat(part) : `${text}x`
        assert.deepStrictEqual(read(`"${more}"`), tooLong)
      })

    it("is refused wherever it is", () => {
      for (const text of [`["${most}x"]`, `{"a":[1,"${most}x"]}`, `{"${most}x":1}`])
        assert.deepStrictEqual(read(text), tooLong)
    })

    it("counts two bytes a character from the first that is beyond U+00FF, or the last", () => {
      const half = "x".repeat(35_000)
      for (const text of [`€${half}`, `${half}€`]) assert.deepStrictEqual(read(`"${text}"`), tooLong)
    })
  })

  it("makes a string of more than a MiB in a slice of its own", () => {
    const read = (size: number) => runSteps(parsing(utf8.encode(`"${"x".repeat(size)}"`), Infinity))
    const most = read(1_048_576)
    assert.deepStrictEqual([most.value, most.long], [{ ok: true, value: "x".repeat(1_048_576) }, 0])
    const more = read(1_048_577)
    assert.deepStrictEqual([more.value, more.long], [{ ok: true, value: "x".repeat(1_048_577) }, 1])
  })

  it("is repaired if that is wanted, and only then", async () => {
    const text = utf8.encode('["\\u0000\\ud800x"]')
    const refusal = refused("nul_character", "U+0000 in a string at position 2", "0")
    assert.deepStrictEqual(runSteps(parsing(text, Infinity, true)).value, { ok: true, value: ["\ufffd\ufffdx"] })
    assert.deepStrictEqual(runSteps(parsing(text, Infinity)).value, refusal)
    assert.deepStrictEqual(await Effect.runPromise(parseLongJson(text, Infinity)), refusal)
    for (const wrong of ["[1,]", '{"\\u0000":1,"\\ufffd":2}'])
      assert.deepStrictEqual(
        runSteps(parsing(utf8.encode(wrong), Infinity, true)).value,
        parseJson(utf8.encode(wrong), true)
      )
  })
})

describe("the body of a host's own path", () => {
  const most = utf8.encode(`["${"x".repeat(longJsonSize - 4)}"]`)

  it("is read at once up to 64 KiB, and in slices beyond", async () => {
    assert.strictEqual(most.length, 65_536)
    assert.deepStrictEqual(parseBody(most, 9), { ok: true, value: ["x".repeat(65_532)] })
    const longer = parseBody(utf8.encode(`["${"x".repeat(longJsonSize - 3)}"]`), 9)
    assert.instanceOf(longer, Promise)
    assert.deepStrictEqual(await longer, { ok: true, value: ["x".repeat(65_533)] })
  })

  it("is not repaired, and has no more values than it may, if it is long", async () => {
    const blank = " ".repeat(longJsonSize)
    assert.deepStrictEqual(
      await parseBody(utf8.encode(`["\\u0000"${blank}]`), 9),
      refused("nul_character", "U+0000 in a string at position 2", "0")
    )
    assert.deepStrictEqual(
      await parseBody(utf8.encode(`[1,2${blank}]`), 2),
      refused("too_many_values", "More than 2 values in one body at position 3", "1")
    )
  })
})
