/** Where a JSON text is wrong, and what is said about it: the same whether it is read at once or in steps. */
import { assert, describe, it } from "@effect/vitest"
import {
  findProblem,
  type JsonProblem,
  type JsonProblemCode,
  type ParsedJson,
  parseJson,
  repaired
} from "../../core/src/value/parseJson.ts"
import { parsing } from "../../core/src/value/parseLongJson.ts"
import { runSteps } from "./runSteps.ts"

const utf8 = new TextEncoder()

const readers: readonly (readonly [string, (text: string) => ParsedJson])[] = [
  ["at once", (text) => parseJson(utf8.encode(text))],
  ["in steps", (text) => runSteps(parsing(utf8.encode(text), Infinity)).value]
]

const refused = (code: JsonProblemCode, message: string, path = ""): JsonProblem => ({ ok: false, code, path, message })

const unexpected = (position: number, path = "", what = "character") =>
  refused("invalid_json", `Not valid JSON: unexpected ${what} at position ${position}`, path)

for (const [how, read] of readers)
  describe(`a JSON text that is read ${how}`, () => {
    it("is refused with one sentence for each rule", () => {
      for (const [text, problem] of [
        ["", unexpected(0, "", "end")],
        ["[", unexpected(1, "0", "end")],
        ["[1", unexpected(2, "0", "end")],
        ["é", unexpected(0)],
        ['{"a":[0,"é",x]}', unexpected(12, "a.2")],
        ['{"a":1 "b":2}', unexpected(7, "a")],
        ["1 2", unexpected(2)],
        ['["À À",x]', unexpected(7, "1")],
        ['["語Ā",x]', unexpected(6, "1")],
        ['["🙂\u{100000}",x]', unexpected(8, "1")],
        ['{"é語🙂":x}', unexpected(8, "*")],
        ['["é🙂",{"ab":1,"ab":2}]', refused("duplicate_key", "Duplicate object key at position 15", "1.ab")],
        ["[9.09e99,]", unexpected(9, "1")],
        ["1é", unexpected(1)],
        ["-x", unexpected(1)],
        ["-", unexpected(1, "", "end")],
        ["1.x", unexpected(2)],
        ["1.", unexpected(2, "", "end")],
        ["1ex", unexpected(2)],
        ["1e+x", unexpected(3)],
        ["1E-", unexpected(3, "", "end")],
        ["01", unexpected(1)],
        ["-01", unexpected(2)],
        ['"\\u00g0"', unexpected(1)],
        ['"\\u00e', unexpected(1)],
        ['"a\\', unexpected(2)],
        ['"a\t"', unexpected(2)],
        ['"a', unexpected(2, "", "end")],
        ["\ufeff[]", refused("invalid_json", "Not valid JSON: starts with a byte order mark")],
        ["[\ufeff]", unexpected(1, "0")],
        ["\uff01", unexpected(0)],
        ["\ufec0", unexpected(0)],
        ['{"a":{"b":1,"b":2}}', refused("duplicate_key", "Duplicate object key at position 12", "a.b")],
        ['["é\\ud800"]', refused("lone_surrogate", "Lone surrogate in a string at position 3", "0")],
        ['{"é\\udc00":1}', refused("lone_surrogate", "Lone surrogate in a string at position 3")],
        ['["a\\u0000"]', refused("nul_character", "U+0000 in a string at position 3", "0")],
        [
          "[".repeat(65),
          refused("too_deep", "More than 64 nested objects and arrays at position 64", "0.".repeat(64).slice(0, -1))
        ]
      ] as const)
        assert.deepStrictEqual(read(text), problem, text)
    })

    it("has escapes of every digit, in either case", () => {
      for (const digit of "0123456789abcdefABCDEF")
        assert.deepStrictEqual(read(`"\\u1${digit}2${digit}"`), {
          ok: true,
          value: String.fromCharCode(Number.parseInt(`1${digit}2${digit}`, 16))
        })
      for (const not of "/:@G`g") assert.deepStrictEqual(read(`"\\u12${not}4"`), unexpected(1), not)
    })

    it("has both halves of a surrogate pair, from the first to the last", () => {
      for (const pair of ["\\ud800\\udc00", "\\udbff\\udfff", "\\uDBFF\\uDC00"])
        assert.deepStrictEqual(read(`"${pair}"`), { ok: true, value: JSON.parse(`"${pair}"`) })
      for (const [text, at] of [
        ["\\ud7ff\\udc00", 7],
        ["\\udc00\\udc00", 1],
        ["\\udbff\\udbff", 1],
        ["\\ud800\\ue000", 1],
        ["\\ud800nudc00", 1],
        ["\\ud800\\ndc00", 1],
        ["\\ue000\\udfff", 7]
      ] as const)
        assert.deepStrictEqual(
          read(`"${text}"`),
          refused("lone_surrogate", `Lone surrogate in a string at position ${at}`),
          text
        )
    })

    it("has each key of an object once, however many there are", () => {
      for (let count = 1; count < 40; count++) {
        const members = Array.from({ length: count }, (_, index) => `"k${index}":0`)
        assert.isTrue(read(`{${members.join()},"k":0}`).ok)
        const all = `{${members.join()},`
        for (const again of new Set([0, Math.floor(count / 2), count - 1]))
          assert.deepStrictEqual(
            read(`${all}"k${again}":0}`),
            refused("duplicate_key", `Duplicate object key at position ${all.length}`, `k${again}`)
          )
      }
    })

    for (const unit of ["x", "é", "🙂"]) {
      const long = unit.repeat(Math.ceil(140_000 / utf8.encode(unit).length))
      for (const text of [
        `["${long}",@]`,
        `{"${long}":@}`,
        `{"${long}"@}`,
        `["${long}@\u0001"]`,
        `["${long}@\\u0000"]`,
        `{"${long}@\\ud800":1}`,
        `{"${long}":0,@"${long}":1}`,
        `{"${long}":0,"é":["${long}",@]}`
      ])
        it(`is told where it is wrong behind 140,000 bytes of ${unit}: ${text.replaceAll(long, "…")}`, () => {
          // Outside of strings the mark is itself what is wrong.
          const isMark = /@[\]}]/.test(text)
          const result = read(isMark ? text : text.replace("@", ""))
          assert.isFalse(result.ok)
          if (!result.ok) assert.match(result.message, new RegExp(` at position ${text.indexOf("@")}$`))
        })
    }

    it("has strings and keys that end where a step ends", () => {
      for (let size = 65_533; size < 65_538; size++) {
        const text = "x".repeat(size)
        assert.deepStrictEqual(read(`["${text}"]`), { ok: true, value: [text] })
        assert.deepStrictEqual(read(`{"${text}":1}`), { ok: true, value: { [text]: 1 } })
      }
    })

    it("has digits in a row without end if it is short", () => {
      assert.deepStrictEqual(read("1".repeat(100_000)), { ok: true, value: Infinity })
    })

    const mebi = 1_048_576
    for (const [size, digits, isRead] of [
      [mebi, 65_537, true],
      [mebi + 1, 65_536, true],
      [mebi + 1, 65_537, false]
    ] as const)
      it(`has ${digits} digits in a row among ${size} bytes: ${isRead ? "read" : "refused"}`, () => {
        const start = `["${"x".repeat(size - digits - 5)}",`
        const result = read(`${start}${"0".repeat(digits).replace("0", "1")}]`)
        if (isRead) assert.isTrue(result.ok)
        else assert.deepStrictEqual(result, unexpected(start.length + 65_536, "1"))
      })
  })

describe("bytes that are not UTF-8", () => {
  it("are refused near the first byte that is wrong, also after a byte order mark and at the end", () => {
    for (const [bytes, near] of [
      [[0xff], 0],
      [[0x22, 0x61, 0xff, 0x22], 2],
      [[0x22, 0xc3, 0xa9, 0xc3, 0x22], 3],
      [[0xef, 0xbb, 0xbf, 0xff], 3],
      [[0x22, 0xef, 0xbf], 3],
      [[0x22, 0xe2, 0x82], 1]
    ] as const)
      assert.deepStrictEqual(
        parseJson(Uint8Array.from(bytes)),
        refused("invalid_utf8", `Not valid UTF-8 near byte ${near}`)
      )
  })
})

describe("members of one object", () => {
  const problemOf = (members: number, most: number) => {
    const text = `[{${Array.from({ length: members }, (_, index) => `"k${index}":0`).join()}}]`
    return runSteps(findProblem(utf8.encode(text), undefined, text.length, Infinity, most)).value
  }

  it("are at most so many, counted for each object", () => {
    assert.isUndefined(problemOf(20, 20))
    assert.deepStrictEqual(
      problemOf(21, 20),
      refused("too_many_members", "More than 20 members in one object at position 152", "0.k20")
    )
    const two = `[${Array.from({ length: 2 }, () => `{${Array.from({ length: 20 }, (_, index) => `"k${index}":0`).join()}}`).join()}]`
    assert.isUndefined(runSteps(findProblem(utf8.encode(two), undefined, two.length, Infinity, 20)).value)
  })
})

describe("steps", () => {
  it("are as many as a text has times 64 KiB", () => {
    for (const [text, steps] of [
      ["[]", 1],
      [`[${"[1],".repeat(16_000)}1]`, 1],
      [`[${"[1],".repeat(17_000)}1]`, 2],
      [`[${"[1],".repeat(85_000)}1]`, 6],
      [`"${"x".repeat(65_000)}"`, 1],
      [`"${"x".repeat(66_000)}"`, 2],
      [`"${"x".repeat(200_000)}"`, 4],
      [`{"${"x".repeat(200_000)}":1}`, 4],
      [`${" ".repeat(200_000)}1`, 4]
    ] as const) {
      const found = runSteps(findProblem(utf8.encode(text), undefined, text.length, Infinity))
      assert.deepStrictEqual([found.value, found.steps], [undefined, steps], text.slice(0, 9))
    }
  })
})

describe("a text that is repaired", () => {
  const repair = (text: string) => parseJson(utf8.encode(text), true)

  it("has U+FFFD for U+0000 and for each surrogate without its other half, and nothing else", () => {
    for (const [text, value] of [
      ["\\u0000", "\ufffd"],
      ["a\\u0000b\\u0000", "a\ufffdb\ufffd"],
      ["\\ud800", "\ufffd"],
      ["\\udbff", "\ufffd"],
      ["\\udc00", "\ufffd"],
      ["\\udfff", "\ufffd"],
      ["\\ud7ff\\ue000\\u0001\\u0000", "\ud7ff\ue000\u0001\ufffd"],
      ["\\ud800\\ud83d\\ude42\\ude42", "\ufffd🙂\ufffd"],
      ["\\ud83d\\ude42\\ud83d\\ude42\\ude42", "🙂🙂\ufffd"],
      ["\\\\u0000\\u0000", "\\u0000\ufffd"],
      ['\\n\\\\\\\\\\ud800\\"é', '\n\\\\\ufffd"é'],
      ["é\\uD800🙂", "é\ufffd🙂"]
    ] as const)
      assert.deepStrictEqual(repair(`{"a":"${text}"}`), { ok: true, value: { a: value } }, text)
    assert.deepStrictEqual(repair('{"\\u0000":1}'), { ok: true, value: { "\ufffd": 1 } })
  })

  it("is still refused for what else is wrong in it, at its place", () => {
    for (const [text, problem] of [
      ['["\\u0000",]', unexpected(10, "1")],
      ['["\\u0000\\x"]', unexpected(8, "0")],
      ['["\\u0000\\u12"]', unexpected(8, "0")],
      ['{"\\u0000":1,"\\ud800":2}', refused("duplicate_key", "Duplicate object key at position 12", "*")]
    ] as const)
      assert.deepStrictEqual(repair(text), problem, text)
  })

  it("is what it was if nothing is wrong in it", () => {
    assert.deepStrictEqual(repair('{"a":["\\ud83d\\ude42"]}'), { ok: true, value: { a: ["🙂"] } })
  })

  it("is not changed if it is refused for something else first", () => {
    assert.deepStrictEqual(repair('[1 "\\u0000"]'), unexpected(3, "0"))
  })

  it("is a copy, made in steps, with what was sent left as it was", () => {
    const sent = utf8.encode(`["${"\\n".repeat(100_000)}\\u0000"]`)
    const before = sent.slice()
    const { value, steps } = runSteps(repaired(sent))
    assert.strictEqual(new TextDecoder().decode(value), `["${"\\n".repeat(100_000)}\\ufffd"]`)
    assert.deepStrictEqual(sent, before)
    assert.strictEqual(steps, 4)
    assert.strictEqual(runSteps(repaired(utf8.encode('"\\n\\u0000"'))).steps, 1)
  })
})
