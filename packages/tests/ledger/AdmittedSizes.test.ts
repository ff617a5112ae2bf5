import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { AdmittedSizes, layerAdmittedSizes } from "../../core/src/ledger/AdmittedSizes.ts"
import { emptySize } from "./sizes.ts"

const held = { nanos: 2n, shared_nanos: 1n, size: emptySize }

describe("AdmittedSizes", () => {
  it.effect("remembers an admission until it is closed or has expired", () =>
    Effect.gen(function* () {
      const sizes = yield* AdmittedSizes
      sizes.open("a", held, 1_000, 0)
      sizes.open("b", held, 1_000, 0)
      sizes.renew("b", 2_000)
      sizes.renew("nothing", 2_000)
      sizes.open("c", held, 9_000, 600_999)
      assert.strictEqual(sizes.find("a"), held)
      sizes.open("c", held, 9_000, 601_000)
      assert.isUndefined(sizes.find("a"))
      assert.strictEqual(sizes.find("b"), held)
      sizes.close("b")
      assert.isUndefined(sizes.find("b"))
      assert.strictEqual(sizes.count(), 1)
    }).pipe(Effect.provide(layerAdmittedSizes))
  )

  it.effect("holds no more than there is room for: the one that expires first goes", () =>
    Effect.gen(function* () {
      const sizes = yield* AdmittedSizes
      for (let index = 0; index < 100_001; index++) sizes.open(`${index}`, held, 10_000 + index, 0)
      assert.isAtMost(sizes.count(), 100_000)
      assert.isUndefined(sizes.find("0"))
      assert.isDefined(sizes.find("100000"))
    }).pipe(Effect.provide(layerAdmittedSizes))
  )

  it.effect("holds no more bytes than there is room for", () =>
    Effect.gen(function* () {
      const sizes = yield* AdmittedSizes
      // Of two bytes a character.
      const name = "t".repeat(2 ** 20)
      const long = { ...held, size: { ...emptySize, server_tools: [{ field: "tools.0", name, most: 1 }] } }
      for (let index = 0; index < 100; index++) sizes.open(`${index}`, long, 10_000 + index, 0)
      assert.isAtLeast(sizes.count(), 60)
      assert.isAtMost(sizes.count(), 65)
      assert.isDefined(sizes.find("99"))
      // What is settled, or opened again, makes room.
      for (let index = 0; index < 100; index++) sizes.close(`${index}`)
      for (let index = 0; index < 100; index++) sizes.open("again", long, 10_000, 0)
      for (let index = 0; index < 60; index++) sizes.open(`${index}`, long, 9_000, 0)
      assert.strictEqual(sizes.count(), 61)
    }).pipe(Effect.provide(layerAdmittedSizes))
  )

  it.effect("drops a thousand a call of those that expired while nobody called", () =>
    Effect.gen(function* () {
      const sizes = yield* AdmittedSizes
      for (let index = 0; index < 2_500; index++) sizes.open(`${index}`, held, 0, 0)
      for (const left of [1_501, 502, 3, 4]) {
        sizes.open(`later ${left}`, held, 9_000_000, 600_000)
        assert.strictEqual(sizes.count(), left)
      }
    }).pipe(Effect.provide(layerAdmittedSizes))
  )

  it.effect("remembers nothing of an admission that it does not know", () =>
    Effect.gen(function* () {
      const sizes = yield* AdmittedSizes
      for (let index = 0; index < 1_000; index++) sizes.renew(`unknown ${index}`, 0)
      sizes.open("a", held, 1, 0)
      sizes.open("b", held, 9_000_000, 600_001)
      assert.isUndefined(sizes.find("a"))
      assert.strictEqual(sizes.count(), 1)
    }).pipe(Effect.provide(layerAdmittedSizes))
  )
})
