import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createHmac } from "node:crypto"
import { equalInConstantTime, hmac } from "../../core/src/platform/Digest.ts"

const bytes = (size: number, from = 1) => Uint8Array.from({ length: size }, (_, index) => (index * 7 + from) & 0xff)

describe("hmac", () => {
  it.effect("is HMAC-SHA-256 for every key, longer ones than a block too", () =>
    Effect.gen(function* () {
      for (let size = 0; size <= 130; size++) {
        const [key, message] = [bytes(size), bytes(size * 2, 3)]
        const expected = createHmac("sha256", key).update(message).digest("hex")
        assert.strictEqual(Buffer.from(yield* hmac(key, message)).toString("hex"), expected, String(size))
      }
    })
  )
})

describe("equalInConstantTime", () => {
  it("says whether two are the same, wherever they differ", () => {
    assert.isTrue(equalInConstantTime(bytes(16), bytes(16)))
    assert.isTrue(equalInConstantTime(bytes(0), bytes(0)))
    assert.isFalse(equalInConstantTime(bytes(16), bytes(15)))
    assert.isFalse(equalInConstantTime(bytes(15), bytes(16)))
    for (let place = 0; place < 16; place++)
      for (const flip of [1, 128]) {
        const other = bytes(16)
        other[place] = (other[place] ?? 0) ^ flip
        assert.isFalse(equalInConstantTime(bytes(16), other))
      }
  })
})
