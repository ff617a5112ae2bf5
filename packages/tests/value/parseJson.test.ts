import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { maxJsonDepth, parseJson } from "../../core/src/value/parseJson.ts"

const bytesOf = (text: string) => new TextEncoder().encode(text)
const parse = (text: string) => parseJson(bytesOf(text))

const refusals: readonly (readonly [text: string, code: string, path: string])[] = [
  ["", "invalid_json", ""],
  ["   ", "invalid_json", ""],
  ["{", "invalid_json", ""],
  ["{} {}", "invalid_json", ""],
  ["nul", "invalid_json", ""],
  ["True", "invalid_json", ""],
  ["NaN", "invalid_json", ""],
  ["undefined", "invalid_json", ""],
  ["'a'", "invalid_json", ""],
  ["{a:1}", "invalid_json", ""],
  ["[1,]", "invalid_json", "1"],
  ["[,1]", "invalid_json", "0"],
  ["[1 2]", "invalid_json", "0"],
  ["[1}", "invalid_json", "0"],
  ['{"a":1]', "invalid_json", "a"],
  ['{"a":1,}', "invalid_json", ""],
  ['{"a"}', "invalid_json", "a"],
  ['{"a":}', "invalid_json", "a"],
  ['{"a" 1}', "invalid_json", "a"],
  ["01", "invalid_json", ""],
  ["-", "invalid_json", ""],
  ["+1", "invalid_json", ""],
  [".5", "invalid_json", ""],
  ["1.", "invalid_json", ""],
  ["1.e1", "invalid_json", ""],
  ["1e", "invalid_json", ""],
  ["1e+", "invalid_json", ""],
  ["0x10", "invalid_json", ""],
  ['"\\x41"', "invalid_json", ""],
  ['"\\u12"', "invalid_json", ""],
  ['"\\u12g4"', "invalid_json", ""],
  ['"a\nb"', "invalid_json", ""],
  ['"\u0000"', "invalid_json", ""],
  ['"open', "invalid_json", ""],
  ['"open\\', "invalid_json", ""],
  ["\u00a01", "invalid_json", ""],
  ["\ufeff{}", "invalid_json", ""],
  ["{}\ufeff", "invalid_json", ""],
  ["[1] // no comments", "invalid_json", ""],
  ['{"a":1,"a":1}', "duplicate_key", "a"],
  ['{"a":1,"\\u0061":2}', "duplicate_key", "a"],
  ['{"\\/":1,"/":2}', "duplicate_key", "*"],
  ['{"é":1,"\\u00e9":2}', "duplicate_key", "*"],
  ['{"😀":1,"\\ud83d\\ude00":2}', "duplicate_key", "*"],
  ['{"":1,"":2}', "duplicate_key", "*"],
  ['{"__proto__":1,"__proto__":2}', "duplicate_key", "__proto__"],
  ['{"constructor":1,"b":2,"constructor":3}', "duplicate_key", "constructor"],
  ['{"content_filters":[{},{"pattern":"é","pattern":"b"}]}', "duplicate_key", "content_filters.1.pattern"],
  [`{${Array.from({ length: 40 }, (_, index) => `"k${index}":0`).join()},"k3":0}`, "duplicate_key", "k3"],
  ['"\\ud800"', "lone_surrogate", ""],
  ['"\\ud800x"', "lone_surrogate", ""],
  ['"\\ud800\\u0041"', "lone_surrogate", ""],
  ['"\\ud800\\ud800\\udc00"', "lone_surrogate", ""],
  ['"\\udc00\\ud800"', "lone_surrogate", ""],
  ['"\\uDFFF"', "lone_surrogate", ""],
  ['"\\udbff\\udbff"', "lone_surrogate", ""],
  ['"\\ud800\\ue000"', "lone_surrogate", ""],
  ['"\\ud800\\udc0"', "lone_surrogate", ""],
  ['{"a":["\\uD83D"]}', "lone_surrogate", "a.0"],
  ['{"a":{"\\ud800":1}}', "lone_surrogate", "a"],
  ['"\\u0000"', "nul_character", ""],
  ['{"a":{"b":"x\\u0000"}}', "nul_character", "a.b"],
  ['{"\\u0000":1}', "nul_character", ""]
]

const acceptances = [
  "null",
  " \t\r\n true ",
  "-0",
  "0.5e-7",
  "1E400",
  "[]",
  "{ }",
  '[[],{},"",[{}]]',
  '{"a":{"a":{"a":1}},"b":{"a":1}}',
  '{"a":1,"A":2,"\\u0041a":3}',
  '"\\ud83d\\ude00 \\uD83D\\uDE00 😀 \\u0001 \\b\\f\\n\\r\\t\\/\\\\\\""',
  '"\u007f\u2028\ufeff"',
  '"\\ud800\\udc00 \\udbff\\udfff \\ud7ff \\ue000 \\uffff"',
  '{"toString":1,"hasOwnProperty":2,"constructor":{"prototype":{}},"__proto__":{"polluted":true}}'
]

/** What the stricter rules say about a text that JSON.parse accepts, found token by token with a regular expression. */
const strictVerdicts = (text: string): Set<string> => {
  const verdicts = new Set<string>()
  const open: (string[] | undefined)[] = []
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^[\]{},:"\s]+/gs) ?? []
  tokens.forEach((token, index) => {
    if (token === "{" || token === "[") open.push(token === "{" ? [] : undefined)
    if (token === "}" || token === "]") open.pop()
    if (open.length > 64) verdicts.add("too_deep")
    if (!token.startsWith('"')) return
    const value = JSON.parse(token) as string
    if (value.includes("\0")) verdicts.add("nul_character")
    if (/[\ud800-\udfff]/.test(value.replaceAll(/[\ud800-\udbff][\udc00-\udfff]/g, ""))) verdicts.add("lone_surrogate")
    const keys = open.at(-1)
    if (tokens[index + 1] === ":" && keys !== undefined) {
      if (keys.includes(value)) verdicts.add("duplicate_key")
      keys.push(value)
    }
  })
  return verdicts
}

const agrees = (bytes: Uint8Array) => {
  const result = parseJson(bytes)
  let text: string
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    assert.strictEqual(result.ok ? "accepted" : result.code, "invalid_utf8")
    return
  }
  let expected: unknown
  try {
    expected = JSON.parse(text)
  } catch {
    // The first problem in the text is reported, so a stricter rule may be broken before the grammar is.
    assert.isFalse(result.ok, text)
    if (!result.ok) assert.notStrictEqual(result.code, "invalid_utf8")
    return
  }
  const verdicts = strictVerdicts(text)
  if (result.ok) {
    assert.strictEqual(verdicts.size, 0, `${text} breaks ${[...verdicts].join()}`)
    assert.deepStrictEqual(result.value, expected)
  } else assert.include([...verdicts], result.code, text)
}

const blank = fc.constantFrom("", "", "", " ", "\n", "\t \r")
const fragment = fc.constantFrom(
  ..."ab/é語😀\u007f",
  "\\u0061",
  "\\ud83d",
  "\\ude00",
  "\\ud83d\\ude00",
  "\\u0000",
  "\\u00e9",
  "\\n",
  '\\"',
  "\\\\",
  ":",
  "{",
  "]"
)
const stringText = fc.array(fragment, { maxLength: 3 }).map((parts) => `"${parts.join("")}"`)
const keyText = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 60 }).map((index) => `"k${index}"`) },
  { weight: 1, arbitrary: fc.constantFrom('"__proto__"', '"constructor"', '"\\u006b1"', '""') },
  { weight: 1, arbitrary: stringText }
)

/** JSON texts with every liberty of the grammar, and often with what the stricter rules refuse. */
const { value: jsonText } = fc.letrec<{ value: string; array: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom("0", "-1.5e+3", "1E2", "true", "false", "null"),
    stringText,
    tie("array"),
    tie("object")
  ),
  array: fc
    .tuple(blank, fc.array(fc.tuple(blank, tie("value"), blank), { maxLength: 4 }))
    .map(([space, items]) => `[${space}${items.map((item) => item.join("")).join()}]`),
  object: fc
    .tuple(blank, fc.array(fc.tuple(blank, keyText, blank, tie("value"), blank), { maxLength: 20 }))
    .map(
      ([space, members]) =>
        `{${space}${members.map(([before, key, between, value, after]) => `${before}${key}${between}:${value}${after}`).join()}}`
    )
}))

const mutation = fc.record({
  at: fc.nat(),
  remove: fc.integer({ min: 0, max: 2 }),
  insert: fc.array(
    fc.oneof(fc.constantFrom(...bytesOf('{}[]",:\\u0eE+-. \ntrfn1d8')), fc.integer({ min: 0, max: 255 })),
    { maxLength: 2 }
  )
})

describe("parseJson", () => {
  it("accepts what RFC 8259 accepts", () => {
    for (const text of acceptances) assert.deepStrictEqual(parse(text), { ok: true, value: JSON.parse(text) }, text)
  })

  it("refuses, with the code and the path", () => {
    for (const [text, code, path] of refusals) {
      const result = parse(text)
      assert.isFalse(result.ok, text)
      if (result.ok) continue
      assert.deepStrictEqual([result.code, result.path], [code, path], text)
      assert.match(result.message, / at position \d+$|byte order mark$/, text)
    }
  })

  it("takes control characters between tokens only where they are blanks, and none in strings", () => {
    for (let code = 0; code <= 0x20; code++) {
      const character = String.fromCharCode(code)
      assert.strictEqual(parse(`[${character}1]`).ok, [0x09, 0x0a, 0x0d, 0x20].includes(code))
      const inString = parse(`"${character}"`)
      assert.strictEqual(inString.ok, code === 0x20)
      if (!inString.ok) assert.include(inString.message, "position 1")
    }
  })

  it("points at the place, in code units of the text", () => {
    const messages = ['{"é😀": 1, "b" 2}', "[1,]", '["語\\u0000"]', "", "\ufeff1", '{"é":1,"é":1}'].map((text) => {
      const result = parse(text)
      return result.ok ? "" : result.message
    })
    assert.deepStrictEqual(messages, [
      "Not valid JSON: unexpected character at position 15",
      "Not valid JSON: unexpected character at position 3",
      "U+0000 in a string at position 3",
      "Not valid JSON: unexpected end at position 0",
      "Not valid JSON: starts with a byte order mark",
      "Duplicate object key at position 7"
    ])
  })

  it("refuses bytes that are not UTF-8 and says where", () => {
    const cases: readonly (readonly number[])[] = [
      [0x22, 0xff, 0x22],
      [0x22, 0xc0, 0x80, 0x22],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
      [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22],
      [0x22, 0xe2, 0x82]
    ]
    for (const bytes of cases) {
      const result = parseJson(Uint8Array.from(bytes))
      assert.isFalse(result.ok)
      if (!result.ok) assert.deepStrictEqual([result.code, result.path], ["invalid_utf8", ""])
    }
    const result = parseJson(Uint8Array.of(0x22, 0x61, 0xff, 0x22))
    assert.include(result, { ok: false, message: "Not valid UTF-8 near byte 2" })
    assert.isTrue(parse("1").ok, "a refusal leaves nothing behind in the decoder")
  })

  it("takes 64 nested containers and refuses 65", () => {
    assert.strictEqual(maxJsonDepth, 64)
    for (const [open, close] of [
      ["[", "]"],
      ['{"a":', "}"]
    ] as const) {
      const nested = (depth: number, inner: string) => open.repeat(depth) + inner + close.repeat(depth)
      assert.isTrue(parse(nested(64, "1")).ok)
      assert.isTrue(parse(nested(63, "[]")).ok)
      assert.include(parse(nested(65, "1")), { ok: false, code: "too_deep" })
      assert.include(parse(nested(64, "[]")), { ok: false, code: "too_deep" })
    }
    assert.isTrue(parse(`[${Array.from({ length: 200 }, () => "[[]]").join()}]`).ok, "depth, not number")
  })

  it("survives hostile sizes", () => {
    const size = 1 << 20
    assert.include(parse("[".repeat(size)), { ok: false, code: "too_deep" })
    assert.include(parse('{"a":'.repeat(size / 4)), { ok: false, code: "too_deep" })
    assert.include(parse(`"${"\\".repeat(size)}`), { ok: false, code: "invalid_json" })
    assert.include(parse("1".repeat(size)), { ok: true, value: Infinity })
    assert.include(parse(" ".repeat(size)), { ok: false, code: "invalid_json" })
    const wide = `{${Array.from({ length: 60_000 }, (_, index) => `"${index}":0`).join()}}`
    assert.isTrue(parse(wide).ok)
    assert.include(parse(wide.replace(/}$/, ',"59999":0}')), { ok: false, code: "duplicate_key" })
  })

  it("gives own properties and pollutes nothing", () => {
    const result = parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}')
    assert.isTrue(result.ok)
    if (!result.ok) return
    const value = result.value as Record<string, unknown>
    assert.deepStrictEqual(Object.keys(value), ["__proto__", "constructor"])
    assert.strictEqual(Object.getPrototypeOf(value), Object.prototype)
    assert.isUndefined(value["polluted"])
    assert.isFalse("polluted" in {})
  })

  it("never repeats what may be a secret", () => {
    const secret = "sk-live-4f9a8b7c6d"
    const texts = [
      `{"${secret}":1,"${secret}":2}`,
      `{"${secret}":{"a":"\\u0000"}}`,
      `["${secret}" "${secret}"]`,
      `{"a":"${secret}\\ud800"}`,
      `${secret}`
    ]
    for (const text of texts) {
      const result = parse(text)
      assert.isFalse(result.ok)
      assert.notInclude(JSON.stringify(result), secret.slice(0, 6))
    }
    const huge = parse(`{"${"k".repeat(100_000)}":nope}`)
    assert.isBelow(JSON.stringify(huge).length, 200)
  })

  it("reads back every JSON value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6, noUnicodeString: false }), fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        if (strictVerdicts(text).size > 0) return
        assert.deepStrictEqual(parse(text), { ok: true, value: JSON.parse(text) })
      }),
      { numRuns: 500 }
    )
  })

  it("agrees with JSON.parse and the stricter rules on texts of every shape", () => {
    fc.assert(
      fc.property(jsonText, (text) => agrees(bytesOf(text))),
      { numRuns: 1500 }
    )
  })

  it("agrees with JSON.parse and the stricter rules on mutated bytes", () => {
    fc.assert(
      fc.property(jsonText, fc.array(mutation, { minLength: 1, maxLength: 3 }), (text, mutations) => {
        const bytes = [...bytesOf(text)]
        for (const { at, remove, insert } of mutations) bytes.splice(at % (bytes.length + 1), remove, ...insert)
        agrees(Uint8Array.from(bytes))
      }),
      { numRuns: 2500 }
    )
  })
})
