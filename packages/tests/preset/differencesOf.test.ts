/** What two versions of a preset differ in is exactly what turns one into the other. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { differencesOf } from "../../core/src/preset/versions.ts"
import { runSteps } from "../value/runSteps.ts"

const value = fc.oneof(
  fc.constantFrom(0, 1, "", "a", true),
  fc.array(fc.constantFrom(0, "a"), { maxLength: 2 }),
  fc.dictionary(fc.constantFrom("x", "y"), fc.constantFrom(0, null), { maxKeys: 2 })
)
const version = fc.record({
  config: fc.dictionary(fc.constantFrom("model", "stop", "tools", "top_k"), value),
  system_prompt: fc.constantFrom("", "Be brief.")
})

describe("differences of versions", () => {
  it("turn one version into the other", () => {
    fc.assert(
      fc.property(version, version, (from, to) => {
        const fields = new Map<string, unknown>([...Object.entries(from.config), ["system_prompt", from.system_prompt]])
        for (const difference of runSteps(differencesOf(from, to)).value) {
          assert.deepEqual(fields.get(difference.field) ?? null, difference.from)
          assert.notDeepEqual(difference.from, difference.to)
          if (difference.to === null) fields.delete(difference.field)
          else fields.set(difference.field, difference.to)
        }
        assert.deepEqual(Object.fromEntries(fields), { ...to.config, system_prompt: to.system_prompt })
      })
    )
  })

  it("are by field, and the order of keys is none", () => {
    const from = { config: { top_k: 1, provider: { a: 1, b: [2] }, model: "m" }, system_prompt: "" }
    const to = { config: { model: "n", provider: { b: [2], a: 1 } }, system_prompt: "" }
    assert.deepEqual(runSteps(differencesOf(from, to)).value, [
      { field: "model", from: "m", to: "n" },
      { field: "top_k", from: 1, to: null }
    ])
  })
})
