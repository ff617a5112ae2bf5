/** Texts that are drawn, written in base64url, folded or made well-formed. */
import { assert, describe, it } from "@effect/vitest"
import { base62, base62Digits, base64url, foldName, fromBase64url, wellFormed } from "../../core/src/value/text.ts"

describe("random text", () => {
  /** Gives the bytes in their order, as many as are asked for. */
  const drawing = (bytes: readonly number[]) => {
    const asked: number[] = []
    let at = 0
    const random = (size: number) => {
      asked.push(size)
      return Uint8Array.from({ length: size }, () => bytes[at++ % bytes.length] as number)
    }
    return { asked, random }
  }

  it("has a digit for each byte below 248, and skips those beyond, which would favour the first eight digits", () => {
    const { random } = drawing([0, 61, 62, 247, 248, 255, 123, 10, 36])
    assert.strictEqual(base62(7, random), "0z0zzAa")
  })

  it("is as long as it is asked to be, and draws again until it is", () => {
    const { asked, random } = drawing([255, 1, 2])
    assert.strictEqual(base62(4, random), "1212")
    assert.deepStrictEqual(asked, [4, 4])
    assert.strictEqual(base62(0, random), "")
  })

  it("has each digit for four of the bytes", () => {
    const all = Array.from({ length: 256 }, (_, byte) => byte)
    assert.strictEqual(base62(248, drawing(all).random), base62Digits.repeat(4))
  })
})

describe("base64url", () => {
  it("is read back", () => {
    for (const bytes of [[], [0], [255, 254], [251, 239, 190, 255], [1, 2, 3, 4, 5]])
      assert.deepStrictEqual(fromBase64url(base64url(Uint8Array.from(bytes))), Uint8Array.from(bytes))
    assert.deepStrictEqual(fromBase64url("-_-_"), Uint8Array.of(251, 255, 191))
  })

  it("is refused if it is written in another way", () => {
    for (const text of [
      "A",
      "AAAAA",
      "AA==",
      "AAA=",
      "+/+/",
      "A A",
      " AAA",
      "AAA ",
      "AA\n",
      "é",
      "!AAA",
      "AAA!",
      "AAA.AAA"
    ])
      assert.isUndefined(fromBase64url(text), text)
  })

  it("is refused if the unused bits of its last character are not 0", () => {
    assert.deepStrictEqual(fromBase64url("AA"), Uint8Array.of(0))
    assert.deepStrictEqual(fromBase64url("AAA"), Uint8Array.of(0, 0))
    for (const text of ["AB", "AP", "AAB", "AAD"]) assert.isUndefined(fromBase64url(text), text)
  })
})

describe("a name", () => {
  it("is folded to small letters, and to no others", () => {
    for (const [name, folded] of [
      ["Ada", "ada"],
      ["ÄÖ", "äö"],
      ["Straße", "straße"],
      ["STRASSE", "strasse"],
      ["a1_-", "a1_-"]
    ] as const)
      assert.strictEqual(foldName(name), folded)
  })
})

describe("a text that is well-formed", () => {
  it("has U+FFFD for each surrogate without its other half, and is otherwise as it was", () => {
    for (const [text, formed] of [
      ["", ""],
      ["aé語🙂\u0000\ufffd", "aé語🙂\u0000\ufffd"],
      ["\ud800", "\ufffd"],
      ["a\udfffb", "a\ufffdb"],
      ["\ud83d\ud83d\ude42\ude42", "\ufffd🙂\ufffd"],
      ["\ude42\ud83d", "\ufffd\ufffd"]
    ] as const)
      assert.strictEqual(wellFormed(text), formed)
  })
})
