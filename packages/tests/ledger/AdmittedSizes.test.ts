import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { AdmittedSizes, layerAdmittedSizes } from "../../core/src/ledger/AdmittedSizes.ts"
import { emptySize } from "./sizes.ts"

describe("AdmittedSizes", () => {
  it.effect("remembers an admission until it is closed or has expired", () =>
    Effect.gen(function* () {
      const sizes = yield* AdmittedSizes
      sizes.open("a", emptySize, 1_000, 0)
      sizes.open("b", emptySize, 1_000, 0)
      sizes.renew("b", 2_000)
      sizes.renew("nothing", 2_000)
      sizes.open("c", emptySize, 9_000, 600_999)
      assert.strictEqual(sizes.find("a"), emptySize)
      sizes.open("c", emptySize, 9_000, 601_000)
      assert.isUndefined(sizes.find("a"))
      assert.strictEqual(sizes.find("b"), emptySize)
      sizes.close("b")
      assert.isUndefined(sizes.find("b"))
      assert.strictEqual(sizes.count(), 1)
    }).pipe(Effect.provide(layerAdmittedSizes))
  )

  it.effect("holds no more than there is room for: the one that expires first goes", () =>
    Effect.gen(function* () {
      const sizes = yield* AdmittedSizes
      for (let index = 0; index < 100_001; index++) sizes.open(`${index}`, emptySize, 10_000 + index, 0)
      assert.isAtMost(sizes.count(), 100_000)
      assert.isUndefined(sizes.find("0"))
      assert.isDefined(sizes.find("100000"))
    }).pipe(Effect.provide(layerAdmittedSizes))
  )
})
