import { assert, describe, it } from "@effect/vitest"
import { textBytes } from "../../core/src/request/requestSize.ts"

const utf8 = (text: string) => new TextEncoder().encode(text).length

describe("the bytes of a text", () => {
  it("are those of any character, or of what it becomes in NFKC", { tags: ["deep"] }, () => {
    for (let point = 0; point < 0x110000; point++) {
      if (point >= 0xd800 && point < 0xe000) continue
      const text = String.fromCodePoint(point)
      const expected = Math.max(utf8(text), utf8(text.normalize("NFKC")))
      if (textBytes(text) !== expected) assert.fail(`U+${point.toString(16)}`)
    }
  })

  it("are never less than those of a text or of its NFKC", () => {
    for (const text of ["\ufdfa", "½ of ﷺ in ㍿", "Grüße", "日本語", "e\u0301\u0316", "👍🏽", "\u{1d15e}"])
      for (const repeated of [text, text.repeat(300)]) {
        assert.isAtLeast(textBytes(repeated), Math.max(utf8(repeated), utf8(repeated.normalize("NFKC"))))
        assert.strictEqual(textBytes(repeated), textBytes(text) * (repeated.length / text.length))
      }
    assert.strictEqual(textBytes("\ufdfa".repeat(1_000)), 33_000)
    for (const text of ["", "plain", "Grüße", "日本語", "👍🏽"]) assert.strictEqual(textBytes(text), utf8(text))
  })

  it("take time by the length of a text, whatever is in it", () => {
    const started = performance.now()
    for (const text of ["\u0300\u0316", "\ufdfa", "㍿", "\u{1d15e}"]) textBytes(text.repeat(30_000))
    assert.isBelow(performance.now() - started, 1_000)
  })
})
