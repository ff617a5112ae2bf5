import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { makeTurns } from "../../core/src/value/Turns.ts"

const turns = (rule: { readonly atOnce?: number; readonly ofAccount: number; readonly waiting: number }) =>
  makeTurns({ ...rule, refusal: () => "too many" as const })

const never = (work: string[], account_id: string) =>
  Effect.andThen(
    Effect.sync(() => work.push(account_id)),
    Effect.never
  )

describe("Turns", () => {
  it.effect("does a few pieces at once, and lets accounts take turns", () =>
    Effect.gen(function* () {
      const { within } = turns({ atOnce: 2, ofAccount: 2, waiting: 10 })
      const work: string[] = []
      const start = (account_id: string) =>
        Effect.forkChild(within(account_id)(never(work, account_id)), { startImmediately: true })
      const first = [yield* start("a"), yield* start("a"), yield* start("a"), yield* start("a")]
      yield* start("b")
      assert.deepEqual(work, ["a", "a"])
      for (const fiber of first.slice(0, 2)) yield* Fiber.interrupt(fiber)
      yield* Effect.yieldNow
      assert.deepEqual(work.toSorted(), ["a", "a", "a", "b"])
    })
  )

  it.effect("leaves permits to others while an account has its own", () =>
    Effect.gen(function* () {
      const { within } = turns({ atOnce: 2, ofAccount: 1, waiting: 10 })
      const work: string[] = []
      for (const account_id of ["a", "a", "a", "b"])
        yield* Effect.forkChild(within(account_id)(never(work, account_id)), { startImmediately: true })
      assert.deepEqual(work, ["a", "b"])
    })
  )

  it.effect("refuses one too many, but not what goes on, and forgets what has left", () =>
    Effect.gen(function* () {
      const { within, goingOn } = turns({ ofAccount: 1, waiting: 2 })
      const work: string[] = []
      const first = yield* Effect.forkChild(within("a")(Effect.never), { startImmediately: true })
      const second = yield* Effect.forkChild(within("a")(Effect.never), { startImmediately: true })
      assert.strictEqual(yield* Effect.flip(within("a")(Effect.void)), "too many")
      yield* Effect.forkChild(goingOn("a")(never(work, "a")), { startImmediately: true })
      assert.deepEqual(work, [])
      yield* Fiber.interrupt(second)
      yield* Fiber.interrupt(first)
      yield* Effect.yieldNow
      assert.deepEqual(work, ["a"])
    })
  )

  it.effect("gives back what a turn took, also if it never came, or fails", () =>
    Effect.gen(function* () {
      const { turnOf, within } = turns({ atOnce: 1, ofAccount: 1, waiting: 2 })
      const turn = turnOf("a")
      yield* turn.end
      yield* turn.come
      const waiting = turnOf("b")
      const fiber = yield* Effect.forkChild(Effect.uninterruptible(waiting.come), { startImmediately: true })
      // Whoever waits has begun nothing.
      yield* Fiber.interrupt(fiber)
      yield* waiting.end
      yield* turn.end
      yield* turn.end
      assert.strictEqual(yield* Effect.flip(within("a")(Effect.fail("failed" as const))), "failed")
      yield* within("b")(Effect.void)
    })
  )

  it.effect("gives no turn twice where a piece leaves that waited", () =>
    Effect.gen(function* () {
      const { turnOf, within } = turns({ atOnce: 1, ofAccount: 1, waiting: 3 })
      const first = turnOf("a")
      yield* first.come
      for (const account_id of ["a", "b"]) {
        const waiting = turnOf(account_id)
        const fiber = yield* Effect.forkChild(waiting.come, { startImmediately: true })
        yield* Fiber.interrupt(fiber)
        yield* waiting.end
      }
      const work: string[] = []
      for (const account_id of ["a", "b"])
        yield* Effect.forkChild(within(account_id)(never(work, account_id)), { startImmediately: true })
      assert.deepEqual(work, [])
      yield* first.end
      yield* Effect.yieldNow
      assert.deepEqual(work, ["a"])
    })
  )

  it.effect("may be taken again by the same piece, which counts anew", () =>
    Effect.gen(function* () {
      const { turnOf, within } = turns({ atOnce: 1, ofAccount: 1, waiting: 3 })
      const turn = turnOf("a")
      yield* turn.come
      yield* turn.end
      const other = turnOf("b")
      yield* other.come
      const fiber = yield* Effect.forkChild(turn.come, { startImmediately: true })
      yield* Fiber.interrupt(fiber)
      yield* turn.end
      const work: string[] = []
      yield* Effect.forkChild(within("c")(never(work, "c")), { startImmediately: true })
      assert.deepEqual(work, [])
    })
  )

  it.effect("keeps count of an account's other pieces while one of them leaves", () =>
    Effect.gen(function* () {
      const { turnOf, within } = turns({ ofAccount: 2, waiting: 3 })
      const [first, second] = [turnOf("a"), turnOf("a")]
      yield* first.come
      yield* second.come
      yield* first.end
      const work: string[] = []
      for (const name of ["third", "fourth"])
        yield* Effect.forkChild(within("a")(never(work, name)), { startImmediately: true })
      assert.deepEqual(work, ["third"])
      assert.strictEqual(yield* Effect.flip(within("a")(Effect.void)), "too many")
    })
  )
})
