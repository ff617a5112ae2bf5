import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { FirstBytes, LastBytes } from "../../core/src/file/file.ts"

describe("the ends of what passes by", () => {
  it("are those of the whole, however it is cut", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.array(fc.uint8Array({ maxLength: 30 }), { maxLength: 12 }),
        (size, chunks) => {
          const [first, last] = [new FirstBytes(size), new LastBytes(size)]
          for (const chunk of chunks) {
            first.push(chunk)
            last.push(chunk)
          }
          const whole = chunks.flatMap((chunk) => [...chunk])
          assert.deepEqual([...first.bytes], whole.slice(0, size))
          assert.deepEqual([...last.bytes], whole.slice(-size))
          assert.strictEqual(last.length, Math.min(size, whole.length))
        }
      )
    )
  })
})
