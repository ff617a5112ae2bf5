import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { selectCredentials } from "../../core/src/byok/byok.ts"

const names = fc.constantFrom<string>("a", "b", "c")
const allowed = fc.option(fc.array(names, { maxLength: 2 }))
const credential = fc.record({
  disabled: fc.boolean(),
  is_fallback: fc.boolean(),
  sort_order: fc.nat({ max: 5 }),
  allowed_api_key_hashes: allowed,
  allowed_models: allowed,
  allowed_user_ids: allowed
})
const use = fc.record({ api_key_hash: names, user_id: fc.option(names), models: fc.array(names, { maxLength: 2 }) })

describe("selectCredentials", () => {
  it("takes those that every list lets pass, and no other", () => {
    fc.assert(
      fc.property(fc.array(credential), use, (credentials, use) => {
        const selected = selectCredentials(credentials, use)
        for (const one of credentials) {
          const key = one.allowed_api_key_hashes?.includes(use.api_key_hash) ?? true
          const user = one.allowed_user_ids?.includes(use.user_id ?? "nobody") ?? true
          const model = one.allowed_models?.some((name) => use.models.includes(name)) ?? true
          assert.strictEqual(selected.includes(one), !one.disabled && key && user && model)
        }
      })
    )
  })

  it("tries the others before the fallbacks, each group in its order", () => {
    fc.assert(
      fc.property(fc.array(credential), use, (credentials, use) => {
        const selected = selectCredentials(credentials, use)
        for (const [index, one] of selected.entries()) {
          const next = selected[index + 1]
          if (next === undefined) continue
          assert.isTrue(!one.is_fallback || next.is_fallback)
          if (one.is_fallback === next.is_fallback) assert.isAtMost(one.sort_order, next.sort_order)
        }
      })
    )
  })

  it("keeps to the order where every list lets all of them pass", () => {
    const open = { disabled: false, allowed_api_key_hashes: null, allowed_models: null, allowed_user_ids: null }
    const credentials = [
      { ...open, is_fallback: true, sort_order: 1 },
      { ...open, is_fallback: false, sort_order: 2 },
      { ...open, is_fallback: true, sort_order: 0 },
      { ...open, is_fallback: false, sort_order: 1 }
    ]
    const selected = selectCredentials(credentials, { api_key_hash: "a", user_id: null, models: [] })
    assert.deepEqual(
      selected.map((one) => credentials.indexOf(one)),
      [3, 1, 2, 0]
    )
  })

  it("an empty list means nobody", () => {
    const open = {
      disabled: false,
      is_fallback: false,
      sort_order: 0,
      allowed_api_key_hashes: null,
      allowed_models: null,
      allowed_user_ids: null
    }
    const request = { api_key_hash: "a", user_id: "u", models: ["m"] }
    assert.lengthOf(selectCredentials([open], request), 1)
    for (const list of ["allowed_api_key_hashes", "allowed_models", "allowed_user_ids"])
      assert.lengthOf(selectCredentials([{ ...open, [list]: [] }], request), 0)
  })
})
