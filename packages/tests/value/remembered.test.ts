import { assert, it } from "@effect/vitest"
import { remembered } from "../../core/src/value/remembered.ts"

it("reads an object once, and each of its own", () => {
  const read: object[] = []
  const sizeOf = remembered((list: readonly number[]) => {
    read.push(list)
    return list.length
  })
  const [one, other] = [[1], [1, 2]]
  assert.deepStrictEqual([sizeOf(one), sizeOf(other), sizeOf(one), sizeOf(other)], [1, 2, 1, 2])
  assert.strictEqual(read.length, 2)
})
