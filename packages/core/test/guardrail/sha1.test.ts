import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { createHash } from "node:crypto"
import { sha1 } from "../../src/guardrail/sha1.ts"

const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
const ofText = (text: string) => hex(sha1(new TextEncoder().encode(text)))

describe("sha1", () => {
  it("takes the vectors of RFC 3174, 7.3", () => {
    assert.strictEqual(ofText("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d")
    assert.strictEqual(
      ofText("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
      "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
    )
    assert.strictEqual(ofText("a".repeat(1_000_000)), "34aa973cd4c4daa4f61eeb2bdbad27316534016f")
    assert.strictEqual(
      ofText("0123456701234567012345670123456701234567012345670123456701234567".repeat(10)),
      "dea356a2cddd90c7a7ecedc5ebb563934f460452"
    )
    assert.strictEqual(ofText(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709")
  })

  it("agrees with the platform at every length around a block", () => {
    for (let length = 0; length < 200; length++) {
      const bytes = Uint8Array.from({ length }, (_, index) => index * 37)
      assert.strictEqual(hex(sha1(bytes)), createHash("sha1").update(bytes).digest("hex"))
    }
  })

  it("agrees with the platform on any bytes, and leaves them alone", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const before = [...bytes]
        assert.strictEqual(hex(sha1(bytes.subarray(1))), createHash("sha1").update(bytes.subarray(1)).digest("hex"))
        assert.deepStrictEqual([...bytes], before)
      })
    )
  })
})
