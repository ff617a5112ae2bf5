import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { bearerToken } from "../../core/src/access/authenticate.ts"

const table: readonly (readonly [header: string | undefined, token: string | undefined])[] = [
  [undefined, undefined],
  ["", undefined],
  ["Bearer", undefined],
  ["Bearer ", undefined],
  ["Bearer  ", undefined],
  ["Bearer abc", "abc"],
  ["bearer abc", "abc"],
  ["BEARER abc", "abc"],
  ["bEaReR abc", "abc"],
  ["Bearer   abc", "abc"],
  ["Bearer a", "a"],
  ["Bearer gw-v1-AZaz09", "gw-v1-AZaz09"],
  ["Bearer !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"],
  ["Bearerabc", undefined],
  ["Bearer\tabc", undefined],
  ["Bearer:abc", undefined],
  ["Bearer abc def", undefined],
  ["Bearer abc ", undefined],
  [" Bearer abc", undefined],
  ["Bearer abc\t", undefined],
  ["Bearer abc\n", undefined],
  ["Bearer abc\r\nX: y", undefined],
  ["Bearer abc, Bearer abc", undefined],
  ["Bearer abc,Bearer def", undefined],
  ["Bearer abc, Basic eA==", undefined],
  ["Bearer abc, ", undefined],
  [", Bearer abc", undefined],
  ["Basic abc", undefined],
  ["Basic abc, Bearer def", undefined],
  ["Token abc", undefined],
  ["abc", undefined],
  ["Bearer Bearer abc", undefined],
  ["Bearer äbc", undefined],
  ["Bearer abc\u00a0", undefined],
  ["Bearer\u00a0abc", undefined],
  ["Bearer a\u007f", undefined],
  ["Bearer a\u0000", undefined],
  ["Bearer \u212aey", undefined],
  ["bea\u0280er abc", undefined]
]

describe("bearerToken", () => {
  it("reads", () => {
    for (const [header, token] of table) assert.strictEqual(bearerToken(header), token, JSON.stringify(header))
  })

  it("refuses two headers as the Fetch standard joins them", () => {
    const token = fc.string({ unit: fc.constantFrom(..."abc,-_=.XYZ09"), maxLength: 8 })
    fc.assert(
      fc.property(token, token, (one, other) => {
        const headers = new Headers()
        headers.append("authorization", `Bearer ${one}`)
        headers.append("authorization", other === "" ? "" : `Bearer ${other}`)
        assert.isUndefined(bearerToken(headers.get("authorization") ?? undefined))
      })
    )
  })

  it("gives visible ASCII or nothing", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const key = text.replace(/^ +/, "")
        const visible = key !== "" && [...key].every((character) => character > " " && character <= "~")
        assert.strictEqual(bearerToken(`Bearer ${text}`), visible ? key : undefined)
        assert.strictEqual(bearerToken(`bEARER   ${text}`), visible ? key : undefined)
      })
    )
  })
})
