import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { compareText } from "../../core/src/value/text.ts"

/** UTF-8 keeps the order of code points, byte by byte. */
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom("a", "b", "\ud7ff", "\ue000", "\uffff", "\u{10000}", "\u{10ffff}"),
    fc.string({ unit: "binary", maxLength: 1 })
  ),
  maxLength: 6
})

describe("compareText", () => {
  it("orders as the bytes of UTF-8 do", () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        assert.strictEqual(Math.sign(compareText(a, b)), byBytes(a, b))
      }),
      { numRuns: 2000 }
    )
  })

  it("puts characters beyond U+FFFF last, where code units do not", () => {
    assert.isBelow(compareText("\uffee", "\u{1f600}"), 0)
    assert.strictEqual(compareText("same", "same"), 0)
    assert.isBelow(compareText("", "a"), 0)
  })
})
