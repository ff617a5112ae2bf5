import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { csvCell, safeCsvCell, textOfSafeCell } from "../../core/src/value/text.ts"

const beginning = fc.constantFrom("", "'", "''", "=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "'=", "-1", " =")
const text = fc.tuple(beginning, fc.string({ unit: "grapheme" })).map((parts) => parts.join(""))

/** What RFC 4180 makes of a cell. */
const unquoted = (cell: string): string => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell)

describe("cells of CSV", () => {
  it("give back every text", () => {
    fc.assert(
      fc.property(text, (text) => {
        assert.strictEqual(unquoted(csvCell(text)), text)
        assert.strictEqual(textOfSafeCell(unquoted(safeCsvCell(text))), text)
      })
    )
  })

  it("begin with nothing that a spreadsheet runs, but for numbers", () => {
    fc.assert(
      fc.property(text, (text) => {
        const shown = unquoted(safeCsvCell(text))
        assert.isTrue(!/^[=+\-@\t\r\n\uff0b\uff0d\uff1d\uff20]/.test(shown) || /^[+-]?\d+(\.\d+)?$/.test(shown), shown)
      })
    )
  })

  it("are numbers as they are", () => {
    for (const number of ["-0.5", "12", "+3", "0.000000001"]) assert.strictEqual(safeCsvCell(number), number)
    assert.strictEqual(safeCsvCell("-1+1"), "'-1+1")
    assert.strictEqual(safeCsvCell('=HYPERLINK("x","y")'), `"'=HYPERLINK(""x"",""y"")"`)
  })

  it("are quoted where a reader might trim or split them, and nowhere else", () => {
    for (const [text, cell] of [
      ["", ""],
      ["a b", "a b"],
      ["a'b", "a'b"],
      [" a", '" a"'],
      ["a ", '"a "'],
      ["a\u00a0", '"a\u00a0"'],
      ["a,b", '"a,b"'],
      ["a;b", '"a;b"'],
      ["a\tb", '"a\tb"'],
      ["a\rb", '"a\rb"'],
      ["a\nb", '"a\nb"'],
      ['a"b', '"a""b"']
    ] as const)
      assert.strictEqual(csvCell(text), cell)
  })

  it("lose the mark of a safe one, and no other", () => {
    for (const [cell, text] of [
      ["'=1", "=1"],
      ["''=1", "'=1"],
      ["'a", "'a"],
      ["=1", "=1"],
      ["", ""]
    ] as const)
      assert.strictEqual(textOfSafeCell(cell), text)
  })
})
