import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { ExpiryQueue } from "../../core/src/value/ExpiryQueue.ts"

const name = fc.constantFrom(..."abcdefghijkl")
const step = fc.oneof(
  fc.record({ does: fc.constant("set" as const), name, at: fc.integer({ min: 0, max: 20 }) }),
  fc.record({ does: fc.constant("delete" as const), name, at: fc.constant(0) }),
  fc.record({ does: fc.constant("next" as const), name, at: fc.integer({ min: 0, max: 20 }) })
)

describe("ExpiryQueue", () => {
  it("gives the names that have expired, the earliest first, each once, and keeps the others", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const queue = new ExpiryQueue()
        const expected = new Map<string, number>()
        for (const { does, name, at } of steps) {
          if (does === "set") {
            queue.set(name, at)
            expected.set(name, at)
          } else if (does === "delete") {
            queue.delete(name)
            expected.delete(name)
          } else {
            const earliest = Math.min(...expected.values())
            const found = queue.next(at)
            if (earliest > at) assert.isUndefined(found)
            else {
              assert.strictEqual(expected.get(found ?? ""), earliest)
              expected.delete(found ?? "")
            }
          }
          assert.strictEqual(queue.size, expected.size)
        }
        const left: (number | undefined)[] = []
        for (let found = queue.next(20); found !== undefined; found = queue.next(20)) left.push(expected.get(found))
        assert.deepEqual(
          left,
          [...expected.values()].sort((a, b) => a - b)
        )
      }),
      { numRuns: 2000 }
    )
  })

  it("knows when each name expires, and which is the earliest", () => {
    const queue = new ExpiryQueue()
    assert.deepStrictEqual([queue.earliest, queue.has("a"), queue.expiryOf("a")], [undefined, false, undefined])
    queue.set("a", 5)
    queue.set("b", 3)
    queue.set("c", 9)
    assert.deepStrictEqual(
      ["a", "b", "c", "d"].map((name) => [queue.has(name), queue.expiryOf(name)]),
      [
        [true, 5],
        [true, 3],
        [true, 9],
        [false, undefined]
      ]
    )
    assert.strictEqual(queue.earliest, 3)
    queue.set("b", 7)
    assert.deepStrictEqual([queue.earliest, queue.expiryOf("b"), queue.size], [5, 7, 3])
    assert.isTrue(queue.delete("a"))
    assert.isFalse(queue.delete("a"))
    assert.deepStrictEqual([queue.earliest, queue.has("a"), queue.expiryOf("a"), queue.size], [7, false, undefined, 2])
  })

  it("gives a name at the instant at which it expires, and not before", () => {
    const queue = new ExpiryQueue()
    queue.set("a", 5)
    assert.isUndefined(queue.next(4))
    assert.strictEqual(queue.next(5), "a")
    assert.isUndefined(queue.next(5))
  })
})
