import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { type FoundReference, presetReference } from "../../core/src/preset/presetReference.ts"

const preset = (slug: string, version: number | null = null, model?: string): FoundReference => ({
  kind: "preset",
  reference: { slug, version, model }
})
const malformed = (field: "model" | "preset"): FoundReference => ({ kind: "malformed", field })

const cases: readonly (readonly [request: Parameters<typeof presetReference>[0], expected: FoundReference])[] = [
  [{}, { kind: "none" }],
  [{ model: "openai/gpt-5:free" }, { kind: "none" }],
  [{ model: "@preset/support" }, preset("support")],
  [{ model: "@preset/support:3" }, preset("support", 3)],
  [{ model: "openai/gpt-5@preset/support" }, preset("support", null, "openai/gpt-5")],
  [{ model: "openai/gpt-5:free@preset/support:12" }, preset("support", 12, "openai/gpt-5:free")],
  [{ preset: "support" }, preset("support")],
  [{ preset: "support:3", model: "openai/gpt-5" }, preset("support", 3, "openai/gpt-5")],
  [{ preset: "support", model: "openai/gpt-5@preset/support" }, preset("support", null, "openai/gpt-5")],
  [{ preset: "other", model: "@preset/support" }, malformed("preset")],
  [{ preset: "support:3", model: "@preset/support" }, malformed("preset")],
  [{ model: "@preset/" }, malformed("model")],
  [{ model: "@preset/.." }, malformed("model")],
  [{ model: "@preset/a b" }, malformed("model")],
  [{ model: "@preset/a@preset/b" }, malformed("model")],
  [{ preset: "" }, malformed("preset")],
  [{ preset: "@preset/support" }, malformed("preset")],
  ...["0", "01", "-1", "1.5", "x", "", "1:2", "1234567890"].map(
    (pin) => [{ preset: `support:${pin}` }, malformed("preset")] as const
  )
]

describe("presetReference", () => {
  for (const [request, expected] of cases)
    it(JSON.stringify(request), () => assert.deepEqual(presetReference(request), expected))

  it("reads what it is written as", () => {
    const slug = fc.stringMatching(/^[A-Za-z0-9._~-]{1,20}$/).filter((text) => text !== "." && text !== "..")
    const version = fc.option(fc.integer({ min: 1, max: 999_999_999 }))
    const model = fc.option(fc.stringMatching(/^[a-z]{1,5}\/[a-z0-9:-]{1,8}$/), { nil: undefined })
    fc.assert(
      fc.property(slug, version, model, (slug, version, model) => {
        const pin = version === null ? slug : `${slug}:${version}`
        const expected = preset(slug, version, model)
        assert.deepEqual(presetReference({ model: `${model ?? ""}@preset/${pin}` }), expected)
        assert.deepEqual(presetReference({ model, preset: pin }), expected)
      })
    )
  })
})
