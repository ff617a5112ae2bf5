/** Long work leaves the loop to other work, by a clock that is turned by hand. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import {
  inMeasuredSlices,
  inSlices,
  loopPauses,
  LoopTurns,
  type Step,
  WorkingAccount
} from "../../core/src/value/inSlices.ts"

/** A clock that stands still, and turns that take so long each. */
const world = ({ wait = 0, isAwaited = false }: { readonly wait?: number; readonly isAwaited?: boolean } = {}) => {
  let now = 1_000
  const turns: (readonly [account: string, at: number])[] = []
  const inWorld = <A, E>(work: Effect.Effect<A, E>) =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      return yield* work.pipe(
        Effect.provideService(LoopTurns, {
          next: (account_id) =>
            Effect.sync(() => {
              turns.push([account_id, now - 1_000])
              now += wait
            }),
          isAwaited: () => isAwaited
        }),
        Effect.provideService(Clock.Clock, {
          ...clock,
          monotonicTimeNanosUnsafe: () => BigInt(Math.round(now * 1e6))
        } as Clock.Clock)
      )
    })
  /** Steps that take so many milliseconds each; `"long"` before those that say so. */
  const steps = function* (...millis: readonly (number | "long")[]): Generator<Step, string> {
    for (const one of millis) {
      if (one === "long") {
        yield "long"
        continue
      }
      now += one
      yield
    }
    return "done"
  }
  return { inWorld, steps, turns, pass: (millis: number) => (now += millis) }
}

describe("small steps", () => {
  it.effect("leave the loop once they have taken five milliseconds, and go on to the end", () =>
    Effect.gen(function* () {
      const { inWorld, steps, turns } = world()
      assert.strictEqual(yield* inWorld(inSlices(steps(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1))), "done")
      assert.deepStrictEqual(turns, [
        ["", 5],
        ["", 10]
      ])
    })
  )

  it.effect("leave it at five, not before", () =>
    Effect.gen(function* () {
      const { inWorld, steps, turns } = world()
      yield* inWorld(inSlices(steps(4.75, 0.25, 4.75, 9, 0)))
      assert.deepStrictEqual(turns, [
        ["", 5],
        ["", 18.75]
      ])
    })
  )

  it.effect("count anew once it is their turn again", () =>
    Effect.gen(function* () {
      const { inWorld, steps, turns } = world({ wait: 100 })
      yield* inWorld(inSlices(steps(6, 4, 4)))
      assert.deepStrictEqual(turns, [
        ["", 6],
        ["", 114]
      ])
    })
  )

  it.effect("leave it after one millisecond at first where other work waits", () =>
    Effect.gen(function* () {
      const { inWorld, steps, turns } = world({ isAwaited: true })
      yield* inWorld(inSlices(steps(0.75, 0.25, 1, 1, 1, 1, 1)))
      assert.deepStrictEqual(turns, [
        ["", 1],
        ["", 6]
      ])
    })
  )

  it.effect("leave it before a long one", () =>
    Effect.gen(function* () {
      const { inWorld, steps, turns } = world()
      yield* inWorld(inSlices(steps(1, "long", 1, 1, "long")))
      assert.deepStrictEqual(turns, [
        ["", 1],
        ["", 3]
      ])
    })
  )

  it.effect("take turns for the account whose work it is", () =>
    Effect.gen(function* () {
      const { inWorld, steps, turns } = world()
      yield* inWorld(Effect.provideService(inSlices(steps(5)), WorkingAccount, "acme"))
      assert.deepStrictEqual(turns, [["acme", 5]])
    })
  )

  it.effect("measure the time that they take, and a tenth of what they wait", () =>
    Effect.gen(function* () {
      const { inWorld, pass } = world({ wait: 100 })
      const measured = yield* inWorld(
        inMeasuredSlices(function* (now) {
          const began = now()
          const times: number[] = []
          for (let step = 0; step < 3; step++) {
            pass(5)
            times.push(Math.round((now() - began) * 10) / 10)
            yield
          }
          return times
        })
      )
      assert.deepStrictEqual(measured, [5, 20, 35])
    })
  )
})

describe("by default", () => {
  it.live("work goes on in the next turn of the loop, for no account", () =>
    Effect.gen(function* () {
      const order: string[] = []
      setTimeout(() => order.push("timer"), 0)
      const steps = function* (): Generator<Step> {
        order.push("begins")
        yield "long"
        order.push("ends")
      }
      yield* inSlices(steps())
      assert.deepStrictEqual(order, ["begins", "timer", "ends"])
      assert.isFalse((yield* LoopTurns).isAwaited())
      assert.strictEqual(yield* WorkingAccount, "")
    })
  )
})

describe("the pauses of a loop", () => {
  for (const [isAwaited, first] of [
    [false, 5],
    [true, 1]
  ] as const)
    it.effect(`are due after ${first} ms, and then after 5 ms since the last one ended`, () =>
      Effect.gen(function* () {
        const { inWorld, pass, turns } = world({ wait: 50, isAwaited })
        yield* inWorld(
          Effect.provideService(
            Effect.gen(function* () {
              const { isDue, pause } = yield* loopPauses
              for (const millis of [first, 5]) {
                assert.isFalse(isDue())
                pass(millis - 0.25)
                assert.isFalse(isDue())
                pass(0.25)
                assert.isTrue(isDue())
                pass(1)
                assert.isTrue(isDue())
                yield* pause
              }
              assert.isFalse(isDue())
            }),
            WorkingAccount,
            "acme"
          )
        )
        assert.deepStrictEqual(turns, [
          ["acme", first + 1],
          ["acme", first + 57]
        ])
      })
    )
})
