import { assert, describe, it } from "@effect/vitest"
import { bytesHeld } from "../../core/src/value/bytes.ts"

describe("bytesHeld", () => {
  it("counts two bytes for each character, wherever it is", () => {
    const text = "x".repeat(1_000)
    for (const value of [text, [text], { text }, new Set([text]), { deep: [new Map([["text", text]])] }])
      assert.isTrue(bytesHeld(value) > 2_000 && bytesHeld(value) < 2_600, JSON.stringify(value).slice(0, 50))
  })

  it("counts objects, members and what has no text", () => {
    for (const value of [undefined, null, 1, 1n, true, () => "x"]) assert.isBelow(bytesHeld(value), 100)
    const many = Array.from({ length: 1_000 }, () => ({ a: 1 }))
    assert.isAbove(bytesHeld(many), 64_000)
  })

  it("grows by a member and what it holds", () => {
    const texts = ["a", "bc", "def"]
    const held = bytesHeld(texts)
    for (const like of [new Set(texts), { a: "a", b: "bc", c: "def" }]) assert.strictEqual(bytesHeld(like), held)
    assert.isAbove(bytesHeld(new Map(texts.map((text) => [text, text]))), 2 * held)
    assert.strictEqual(bytesHeld([...texts, "ghi"]) - held, bytesHeld("ghi") + bytesHeld(1))
    assert.strictEqual(bytesHeld("xx") - bytesHeld("x"), 2)
    assert.isAbove(bytesHeld(""), 0)
    assert.isAbove(bytesHeld([]), bytesHeld(1))
    assert.isAbove(bytesHeld([1, null, true, undefined]), bytesHeld([1, null, true]))
    assert.isAbove(bytesHeld(1), 0)
  })

  it("reads a value of any depth", () => {
    let deep: unknown = 1
    for (let depth = 0; depth < 100_000; depth++) deep = [deep]
    assert.isAbove(bytesHeld(deep), 6_400_000)
  })
})
