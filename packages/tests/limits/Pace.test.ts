import { assert, describe, it } from "@effect/vitest"
import { Pace } from "../../core/src/limits/Slots.ts"

const pace = () => new Pace({ turns: 3, perSecond: 2, maxNames: 2 })

const taken = (one: Pace, name: string, now: number): number => {
  let count = 0
  while (one.take(name, now)) count++
  return count
}

describe("Pace", () => {
  it("gives so many turns at once, and more as time passes", () => {
    const one = pace()
    assert.strictEqual(taken(one, "a", 0), 3)
    assert.isFalse(one.has("a", 499))
    assert.strictEqual(taken(one, "a", 500), 1)
    assert.strictEqual(taken(one, "a", 60_000), 3)
  })

  it("counts each name by itself", () => {
    const one = pace()
    taken(one, "a", 0)
    assert.isTrue(one.has("b", 0))
    assert.strictEqual(taken(one, "b", 0), 3)
  })

  it("gives no turns back to a name because others were named", () => {
    const one = pace()
    taken(one, "a", 0)
    for (const name of ["b", "c", "d", "e"]) one.take(name, 0)
    assert.isFalse(one.has("a", 0))
    assert.isFalse(one.take("f", 0))
    assert.isTrue(one.take("f", 60_000))
  })

  it("has a turn for as long as one is left, and none for a name beyond those that it remembers", () => {
    const one = pace()
    for (const left of [2, 1]) {
      assert.isTrue(one.take("a", 0))
      assert.isTrue(one.has("a", 0), `${left}`)
    }
    assert.isTrue(one.take("b", 0))
    assert.isFalse(one.take("c", 0))
    assert.isTrue(one.take("a", 0))
    assert.isFalse(one.has("a", 0))
    // The turns of `b` are back first.
    assert.isTrue(one.take("c", 500))
    assert.strictEqual(taken(one, "a", 500), 1)
  })

  it("does not take turns back when a clock goes backwards", () => {
    const one = pace()
    one.take("a", 1_000)
    assert.strictEqual(taken(one, "a", 0), 2)
  })
})
