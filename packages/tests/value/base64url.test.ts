import { assert, it } from "@effect/vitest"
import * as fc from "fast-check"
import { base64url } from "../../core/src/value/text.ts"

it("writes what every reader of base64url reads, without padding", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      const text = base64url(bytes)
      assert.match(text, /^[A-Za-z0-9_-]*$/)
      assert.deepEqual(new Uint8Array(Buffer.from(text, "base64url")), bytes)
      assert.strictEqual(text.length, Math.ceil((bytes.length * 4) / 3))
    })
  )
})
