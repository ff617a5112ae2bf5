import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { jsonText } from "../../core/src/delivery/rendering/Renderer.ts"

describe("jsonText", () => {
  it("is the same JSON, with U+FFFD for half a surrogate pair and for nothing that looks like one", () => {
    const unit = fc.constantFrom("\ud800", "\udfff", "\ud83d\ude00", "\\", "\\ud800", "u", '"', "d", "8", "\n", "ä")
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 12 }), fc.string({ unit, maxLength: 5 }), (value, key) => {
        const wellFormed = (text: string) => text.replace(/\p{Surrogate}/gu, "\ufffd")
        assert.deepStrictEqual(JSON.parse(jsonText({ [key]: [value] })), { [wellFormed(key)]: [wellFormed(value)] })
      })
    )
  })
})
