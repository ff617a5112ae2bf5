import { assert, describe, it } from "@effect/vitest"
import { makeFairQueue, turnOf } from "../../core/src/value/fairQueue.ts"

describe("a queue in which accounts take turns", () => {
  it("counts what waits, of all and of each", () => {
    const queue = makeFairQueue<number>()
    assert.deepStrictEqual([queue.size(), queue.sizeOf("a"), queue.take()], [0, 0, undefined])
    queue.add("a", 1)
    queue.add("a", 2)
    queue.add("b", 3)
    assert.deepStrictEqual([queue.size(), queue.sizeOf("a"), queue.sizeOf("b"), queue.sizeOf("c")], [3, 2, 1, 0])
    assert.strictEqual(queue.take(), 1)
    assert.deepStrictEqual([queue.size(), queue.sizeOf("a"), queue.sizeOf("b")], [2, 1, 1])
  })

  it("forgets what leaves, once, and nothing that was taken", () => {
    const queue = makeFairQueue<number>()
    const leave = queue.add("a", 1)
    queue.add("a", 2)
    leave()
    leave()
    assert.deepStrictEqual([queue.size(), queue.sizeOf("a")], [1, 1])
    const late = queue.add("b", 3)
    assert.deepStrictEqual([queue.take(), queue.take(), queue.take()], [2, 3, undefined])
    late()
    assert.deepStrictEqual([queue.size(), queue.sizeOf("b")], [0, 0])
  })

  it("takes of each account in turn, and passes over those that may not", () => {
    const queue = makeFairQueue<string>()
    for (const one of ["a1", "a2", "a3", "b1", "c1", "c2"]) queue.add(one.slice(0, 1), one)
    assert.strictEqual(
      queue.take((account_id) => account_id !== "a"),
      "b1"
    )
    assert.isUndefined(queue.take(() => false))
    const taken: (string | undefined)[] = []
    while (queue.size() > 0) taken.push(queue.take())
    assert.deepStrictEqual(taken, ["a1", "c1", "a2", "c2", "a3"])
  })
})

describe("the account whose turn it is", () => {
  const rows = ["b", "\u{1f600}", "a", "\uffee", "b"].map((account_id) => ({ account_id }))

  it("is the first behind the last one, by code points, and then the first of all", () => {
    for (const [after, turn] of [
      [null, "a"],
      ["", "a"],
      ["a", "b"],
      ["aa", "b"],
      ["b", "\uffee"],
      ["\uffee", "\u{1f600}"],
      ["\u{1f600}", "a"],
      ["\u{1f601}", "a"]
    ] as const)
      assert.strictEqual(turnOf(rows, after), turn)
  })

  it("is none if none has any", () => {
    assert.isUndefined(turnOf([], null))
    assert.isUndefined(turnOf([], "a"))
  })
})
