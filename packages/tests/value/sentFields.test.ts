import { assert, describe, it } from "@effect/vitest"
import { sentFields } from "../../core/src/value/sentFields.ts"

type Fields = { limit?: number | null; flag?: boolean | null; other?: string }

const sent = (fields: Fields) => sentFields(fields, ["limit"], ["flag"])

describe("sentFields", () => {
  it("takes what is sent, with null where it clears", () => {
    assert.deepEqual(sent({ limit: 0, flag: false }), { limit: 0, flag: false })
    assert.deepEqual(sent({ limit: null, flag: null }), { limit: null })
    assert.deepEqual(sent({}), {})
  })

  it("takes nothing that it is not asked for", () => assert.deepEqual(sent({ other: "x" }), {}))
})
