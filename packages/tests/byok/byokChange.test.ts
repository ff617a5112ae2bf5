import { assert, describe, it } from "@effect/vitest"
import { unscoped } from "../../core/src/ports/byok.ts"
import { byokChange } from "../../core/src/byok/byok.ts"

const cleared = {
  name: null,
  declared_region: null,
  declared_zdr: null,
  allowed_api_key_hashes: null,
  allowed_models: null,
  allowed_user_ids: null
}

type Fields = Parameters<typeof byokChange>[0]

const table: readonly (readonly [fields: Fields, change: ReturnType<typeof byokChange>])[] = [
  [{}, {}],
  [cleared, cleared],
  [{ disabled: null, is_fallback: null, is_required: null, is_byok_only: null }, {}],
  [
    { disabled: false, is_fallback: true, is_required: false, is_byok_only: false },
    { disabled: false, is_fallback: true, is_required: false, is_byok_only: false }
  ],
  [
    { allowed_models: [], allowed_user_ids: [] },
    { allowed_models: [], allowed_user_ids: [] }
  ],
  [
    { name: "", declared_region: "us", declared_zdr: false, allowed_models: ["b", "a"] },
    { name: "", declared_region: "us", declared_zdr: false, allowed_models: ["b", "a"] }
  ]
]

describe("byokChange", () => {
  it("sets what is sent: null clears what can be empty, and says nothing to a boolean", () => {
    for (const [fields, change] of table) assert.deepStrictEqual(byokChange(fields), change, JSON.stringify(fields))
  })

  it("passes nothing but what a request may set", () => {
    const fields = { name: "x", provider: "openai", workspace_id: "w", sort_order: 3, label: "l", key: "k", id: "i" }
    assert.deepStrictEqual(byokChange(fields), { name: "x" })
  })

  it("starts from a credential that all may use", () => {
    for (const [field, value] of Object.entries(unscoped)) assert.strictEqual(value, field in cleared ? null : false)
  })
})
