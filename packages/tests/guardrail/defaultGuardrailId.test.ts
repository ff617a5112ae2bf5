import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { defaultGuardrailId } from "../../core/src/ports/guardrails.ts"

const uuidV5 = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe("defaultGuardrailId", () => {
  it("never changes", () => {
    assert.strictEqual(
      defaultGuardrailId("00000000-0000-4000-8000-000000000000"),
      "7affd5ad-013b-5b17-a87c-cb0f10882b00"
    )
  })

  it("is another one for another workspace, whatever the case of its id", () => {
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), (one, other) => {
        assert.match(defaultGuardrailId(one), uuidV5)
        assert.strictEqual(defaultGuardrailId(one.toUpperCase()), defaultGuardrailId(one))
        assert.strictEqual(defaultGuardrailId(one) === defaultGuardrailId(other), one === other)
        assert.notStrictEqual(defaultGuardrailId(one), one)
      })
    )
  })
})
