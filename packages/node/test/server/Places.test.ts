/** What is under way, against a plain list of it. */
import { assert, it } from "@effect/vitest"
import * as fc from "fast-check"
import { Places } from "../../src/server/Places.ts"

it("holds what came and has not left, in no more places than were taken at once", () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat(50)), { maxLength: 200 }), (steps) => {
      const places = new Places<object>()
      const present: { readonly place: number; readonly value: object }[] = []
      let most = 0
      for (const step of steps) {
        const leaving = step === null ? undefined : present.splice(step % Math.max(1, present.length), 1)[0]
        if (leaving !== undefined) places.leave(leaving.place)
        else {
          const value = {}
          present.push({ place: places.take(value), value })
        }
        most = Math.max(most, present.length)
        assert.strictEqual(places.size, present.length)
        assert.sameMembers(
          [...places.values()],
          present.map(({ value }) => value)
        )
        assert.isTrue(present.every(({ place }) => place < most))
      }
    })
  )
})
