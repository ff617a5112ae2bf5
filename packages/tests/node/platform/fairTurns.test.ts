import { assert, describe, it } from "@effect/vitest"
import { LoopTurns, makeFairQueue, WorkingAccount, inSlices } from "@gatewarden/core/internal"
import { Effect, Fiber } from "effect"
import { layerPlatform } from "../../../node/src/platform/layerPlatform.ts"

/** Slices of work, each told to `log`. */
const working = (account_id: string, slices: number, log: (account_id: string) => void) =>
  Effect.provideService(
    inSlices(
      (function* () {
        for (let left = slices; left > 0; left--) {
          yield "long" as const
          log(account_id)
        }
      })()
    ),
    WorkingAccount,
    account_id
  )

describe("turns", () => {
  it.live("give all long work one slice in a turn of the loop, and the accounts turns", () =>
    Effect.gen(function* () {
      let turn = 0
      let isRunning = true
      const count = (): void => {
        turn++
        if (isRunning) setImmediate(count)
      }
      setImmediate(count)
      const slices: { readonly account_id: string; readonly turn: number }[] = []
      const log = (account_id: string): void => void slices.push({ account_id, turn })
      const fibers = [...Array.from({ length: 30 }, () => "many"), "one"].map((account_id) =>
        Effect.runFork(Effect.provide(working(account_id, 3, log), layerPlatform))
      )
      for (const fiber of fibers) yield* Fiber.join(fiber)
      isRunning = false
      assert.lengthOf(slices, 93)
      assert.strictEqual(new Set(slices.map((slice) => slice.turn)).size, slices.length)
      assert.isAtMost(slices.map(({ account_id }) => account_id).lastIndexOf("one"), 5)
    })
  )

  it.live("are left by work that is interrupted", () =>
    Effect.gen(function* () {
      const turns = yield* LoopTurns
      const fiber = Effect.runFork(working("a", 1_000, () => {}).pipe(Effect.provide(layerPlatform)))
      assert.isTrue(turns.isAwaited())
      yield* Fiber.interrupt(fiber)
      assert.isFalse(turns.isAwaited())
    }).pipe(Effect.provide(layerPlatform))
  )
})

describe("fair queue", () => {
  it("takes of each account in turn, in the account's order", () => {
    const queue = makeFairQueue<number>()
    const added: readonly (readonly [string, number])[] = [
      ["a", 1],
      ["a", 2],
      ["a", 3],
      ["b", 4],
      ["a", 5],
      ["c", 6],
      ["c", 7]
    ]
    const [, leave] = added.map(([account_id, one]) => queue.add(account_id, one))
    leave?.()
    leave?.()
    assert.deepEqual([queue.size(), queue.sizeOf("a"), queue.sizeOf("d")], [6, 3, 0])
    const taken: (number | undefined)[] = []
    for (let left = 7; left > 0; left--) taken.push(queue.take())
    assert.deepEqual(taken, [1, 4, 6, 3, 7, 5, undefined])
    assert.strictEqual(queue.size(), 0)
  })
})
