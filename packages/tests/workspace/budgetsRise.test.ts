import { assert, describe, it } from "@effect/vitest"
import { ResetInterval } from "@gatewarden/contract"
import * as fc from "fast-check"
import { budgetsRise } from "../../core/src/workspace/budgets.ts"

const intervals = [...ResetInterval.options, null]

/** Limits by interval, from the shortest; absent where there is no budget. */
const budgets = fc
  .tuple(...intervals.map(() => fc.option(fc.integer({ min: 1, max: 5 }))))
  .map((limits) =>
    limits.flatMap((limit_usd, index) =>
      limit_usd === null ? [] : [{ reset_interval: intervals[index] ?? null, limit_usd, index }]
    )
  )

describe("budgetsRise", () => {
  it("holds exactly when each pair of budgets is in the order of its intervals, whatever the order they are given in", () =>
    fc.assert(
      fc.property(budgets, fc.infiniteStream(fc.nat()), (set, places) => {
        const inOrder = set.every((shorter) =>
          set.every((longer) => shorter.index >= longer.index || shorter.limit_usd < longer.limit_usd)
        )
        const shuffled = set
          .map((budget) => ({ budget, place: places.next().value ?? 0 }))
          .toSorted((a, b) => a.place - b.place)
          .map(({ budget }) => budget)
        assert.strictEqual(budgetsRise(shuffled), inOrder)
      })
    ))
})
