import { assert, describe, it } from "@effect/vitest"
import { evictOldest } from "../../core/src/value/remembered.ts"

describe("evictOldest", () => {
  it("removes the oldest eighth of a full map, and nothing before", () => {
    const map = new Map<number, number>()
    for (let key = 0; key < 16; key++) {
      evictOldest(map, 16)
      map.set(key, key)
    }
    assert.strictEqual(map.size, 16)
    evictOldest(map, 16)
    assert.deepEqual(
      [...map.keys()],
      Array.from({ length: 14 }, (_, index) => index + 2)
    )
  })

  it("makes room in a map of one", () => {
    const map = new Map([["a", 1]])
    evictOldest(map, 1)
    assert.strictEqual(map.size, 0)
  })
})
