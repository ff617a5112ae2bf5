import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { Slots } from "../../core/src/limits/Slots.ts"

/** What an account holds at most after it took: twice as many as are free then, or one. */
const mostOf = (free: number, held: number): number => {
  let more = 0
  while (more < free && (held + more + 1 <= 2 * (free - more - 1) || held + more === 0)) more++
  return more
}

describe("slots", () => {
  it("are two thirds for one account alone, and some for whoever comes next", () => {
    const slots = new Slots(18)
    const takeAll = (account_id: string): number => {
      let count = 0
      for (; slots.allows(account_id); count++) slots.take(account_id)
      return count
    }
    assert.deepStrictEqual(["a", "b", "c", "d", "e", "f"].map(takeAll), [12, 4, 1, 1, 0, 0])
    assert.strictEqual(slots.taken, 18)
    assert.deepStrictEqual(slots.wanted.most, 0)
  })

  it("let an account hold at most twice as many as are free, or one, whatever came before", () => {
    const act = fc.record({ account: fc.constantFrom("a", "b", "c"), count: fc.integer({ min: -6, max: 9 }) })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.array(act, { maxLength: 12 }), (size, acts) => {
        const slots = new Slots(size)
        const held = new Map<string, number>()
        for (const { account, count } of acts) {
          const own = held.get(account) ?? 0
          const free = size - slots.taken
          assert.strictEqual(slots.allows(account, count), count <= mostOf(free, own))
          if (count > 0 && slots.allows(account, count)) {
            slots.take(account, count)
            held.set(account, own + count)
          } else if (count < 0 && own >= -count) {
            slots.giveBack(account, -count)
            held.set(account, own + count)
          }
          const all = [...held.values()].reduce((sum, one) => sum + one, 0)
          assert.strictEqual(slots.taken, all)
          const most = mostOf(size - all, 0)
          const holders = [...held].filter(([, one]) => one > 0).map(([name, one]) => [name, mostOf(size - all, one)])
          const { ofHolders, ...others } = slots.wanted
          assert.deepStrictEqual(others, { most, ofAccount: most })
          assert.deepStrictEqual(Object.fromEntries(ofHolders), Object.fromEntries(holders))
        }
      }),
      { numRuns: 60 }
    )
  })

  it("are taken and given back one at a time, unless more are named", () => {
    const slots = new Slots(9)
    slots.take("a")
    assert.strictEqual(slots.taken, 1)
    assert.isTrue(slots.allows("a", 5))
    assert.isFalse(slots.allows("a", 6))
    slots.take("a", 3)
    slots.giveBack("a")
    assert.strictEqual(slots.taken, 3)
    assert.deepStrictEqual(slots.wanted.ofHolders, new Map([["a", 3]]))
    slots.giveBack("a", 3)
    assert.deepStrictEqual(slots.wanted, { most: 6, ofAccount: 6, ofHolders: new Map() })
  })

  it("are wanted by nobody while more are taken than there are", () => {
    const slots = new Slots(3)
    slots.take("a", 3)
    slots.take("b", 2)
    assert.deepStrictEqual(slots.wanted, {
      most: 0,
      ofAccount: 0,
      ofHolders: new Map([
        ["a", 0],
        ["b", 0]
      ])
    })
    assert.isFalse(slots.allows("c"))
    slots.giveBack("a", 3)
    assert.isTrue(slots.allows("c"))
  })
})
