/** A slot list, against a plain list. */
import { assert, it } from "@effect/vitest"
import * as fc from "fast-check"
import { Slots } from "../../../node/src/http/Slots.ts"

it("holds what came and has not left, in no more slots than were taken at once", () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat(50)), { maxLength: 200 }), (steps) => {
      const slots = new Slots<object>()
      const present: { readonly slot: number; readonly value: object }[] = []
      let most = 0
      for (const step of steps) {
        const leaving = step === null ? undefined : present.splice(step % Math.max(1, present.length), 1)[0]
        if (leaving !== undefined) slots.free(leaving.slot)
        else {
          const value = {}
          present.push({ slot: slots.take(value), value })
        }
        most = Math.max(most, present.length)
        assert.strictEqual(slots.size, present.length)
        assert.sameMembers(
          [...slots.values()],
          present.map(({ value }) => value)
        )
        assert.isTrue(present.every(({ slot }) => slot < most))
      }
    })
  )
})
