import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { createHash } from "node:crypto"
import { defaultGuardrailId, nameBasedUuid } from "../../src/guardrail/defaultGuardrailId.ts"

const uuidV5 = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe("nameBasedUuid", () => {
  it("takes the vector of RFC 9562, A.4", () => {
    assert.strictEqual(
      nameBasedUuid("6ba7b810-9dad-11d1-80b4-00c04fd430c8", "www.example.com"),
      "2ed6657d-e927-568b-95e1-2665a8aea6a2"
    )
  })

  it("is the SHA-1 of namespace and name, but for version and variant", () => {
    fc.assert(
      fc.property(fc.uuid(), fc.string({ unit: "grapheme" }), (namespace, name) => {
        const id = nameBasedUuid(namespace, name)
        assert.match(id, uuidV5)
        const digest = createHash("sha1")
          .update(Buffer.from(namespace.replaceAll("-", ""), "hex"))
          .update(name)
          .digest()
        digest[6] = ((digest[6] ?? 0) % 16) + 0x50
        digest[8] = ((digest[8] ?? 0) % 64) + 0x80
        assert.strictEqual(id.replaceAll("-", ""), digest.toString("hex").slice(0, 32))
      })
    )
  })
})

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
