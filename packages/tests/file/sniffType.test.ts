import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { sniffType, zipNames } from "../../core/src/file/fileTypes.ts"

const utf8 = new TextEncoder()
const text = (content: string, name = "a.txt") => sniffType(utf8.encode(content), name)
const bytes = (...values: readonly number[]) => sniffType(Uint8Array.from(values), "a.txt")

/** The table of samples is the HTTP suite's (`conformance/src/file/fileBytes.ts`); here are the borders. */
describe("sniffType", () => {
  const texts: readonly (readonly [content: string, name: string, type: string])[] = [
    ["", "a.json", "text/plain"],
    ["5", "a.json", "application/json"],
    ["5", "a.txt", "text/plain"],
    ['"word"', "a", "text/plain"],
    ["{}", "a.txt", "application/json"],
    ["\ufeff[1]", "a", "application/json"],
    ["{} {}", "a", "text/plain"],
    ["{}\n{}", "a", "application/x-ndjson"],
    ["{}\n{}", "a.json", "text/plain"],
    ["{}\n1", "a", "text/plain"],
    ["1\n2\n", "a", "text/plain"],
    ["{}", "a.jsonl", "application/x-ndjson"],
    ["not json", "a.NDJSON", "text/plain"],
    ['{"a":\n1}', "a", "application/json"],
    ['{"a":1}', "a.csv", "text/csv"],
    ['{"a":1}', "a.md", "text/markdown"],
    ["a", "csv", "text/plain"],
    ["a", "a.md/b", "text/plain"],
    ["a", "x.markdown", "text/markdown"],
    ["RIFFxxxxAVI ", "a", "text/plain"],
    ["ID3", "a", "text/plain"],
    ["%PDF", "a.pdf", "text/plain"],
    ["GIF88a", "a.gif", "text/plain"],
    ["PK\u0003\u0004", "a", undefined as unknown as string],
    ["tab\tfeed\fescape\u001b[0m", "a", "text/plain"],
    ["bell\u0001", "a", undefined as unknown as string],
    ["delete\u007f", "a", undefined as unknown as string]
  ]
  for (const [content, name, type] of texts)
    it(`${JSON.stringify(content)} as ${name}`, () => assert.strictEqual(text(content, name), type))

  it("frames of MPEG audio, and what only looks like one", () => {
    for (const header of [
      [0xff, 0xfb, 0x90],
      [0xff, 0xf3, 0x40],
      [0xff, 0xe3, 0x40],
      [0xff, 0xfa, 0x90]
    ])
      assert.strictEqual(bytes(...header, 0), "audio/mpeg")
    const others = [
      [0xff, 0xfb, 0xf0, 0],
      [0xff, 0xfb, 0x9c, 0],
      [0xff, 0xeb, 0x90, 0],
      [0xff, 0xf9, 0x50, 0],
      [0xff, 0xfd, 0x90, 0],
      [0xff, 0xfb, 0x90]
    ]
    for (const header of others) assert.isUndefined(bytes(...header))
  })

  it("large texts are told by their ends and first lines", () => {
    const row = `${JSON.stringify({ text: "x".repeat(1000) })}`
    const rows = Array.from({ length: 1500 }, () => row)
    assert.strictEqual(text(rows.join("\n"), "a"), "application/x-ndjson")
    assert.strictEqual(text(`[${rows.join(",\n")}]\n`, "a"), "application/json")
    assert.strictEqual(text(`[${rows.join(",")}]`, "a"), "application/json")
    assert.strictEqual(text(`[${rows.join(",\n")}`, "a.json"), "text/plain")
    assert.strictEqual(text("word ".repeat(300_000), "a.json"), "text/plain")
  })

  it("a character may lie on the border between two pieces", () => {
    for (let before = 65_530; before <= 65_537; before++)
      assert.strictEqual(text(`${"x".repeat(before)}🙂é`, "a"), "text/plain")
    assert.isUndefined(sniffType(utf8.encode("🙂").subarray(0, 3), "a"))
  })

  it("never throws, and tells text from the rest as a strict decoder does", () => {
    const content = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.string({ unit: "binary" }).map((text) => utf8.encode(text)),
      fc
        .tuple(
          fc.constantFrom("PK\u0003\u0004", "RIFF", "ID3", "%PDF-", "{", "PK\u0005\u0006"),
          fc.uint8Array({ maxLength: 60 })
        )
        .map(([head, rest]) => Uint8Array.from([...utf8.encode(head), ...rest]))
    )
    const isUtf8 = (content: Uint8Array) => {
      try {
        new TextDecoder("utf-8", { fatal: true }).decode(content)
        return true
      } catch {
        return false
      }
    }
    fc.assert(
      fc.property(content, fc.string({ maxLength: 5 }), (content, name) => {
        const type = sniffType(content, name)
        if (type !== undefined && (type.startsWith("text/") || type.endsWith("json"))) assert.isTrue(isUtf8(content))
      }),
      { numRuns: 2_000 }
    )
  })
})

describe("zipNames", () => {
  it("reads nothing beyond the bytes, whatever their numbers say", () => {
    const end = (values: readonly number[]) => Uint8Array.from([0x50, 0x4b, 5, 6, ...values])
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 18, maxLength: 18 }),
        fc.uint8Array({ maxLength: 80 }),
        (record, before) => {
          record[16] = 0
          record[17] = 0
          const names = zipNames(Uint8Array.from([...before, ...end([...record])]))
          assert.isArray(names)
        }
      ),
      { numRuns: 2_000 }
    )
  })
  it("an archive without entries has none", () => {
    assert.deepEqual(zipNames(Uint8Array.from([0x50, 0x4b, 5, 6, ...Array.from({ length: 18 }, () => 0)])), [])
  })
})
