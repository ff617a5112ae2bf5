import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import {
  AnalyticsSlots,
  layerAnalyticsSlots,
  waitingOfAccount
} from "../../../core/src/usage/analytics/AnalyticsSlots.ts"

describe("AnalyticsSlots", () => {
  it.effect("runs the queries of an account one after another, and those of others beside them", () =>
    Effect.gen(function* () {
      const { within } = yield* AnalyticsSlots
      const running: string[] = []
      const run = (account_id: string) =>
        Effect.forkChild(
          within(account_id)(
            Effect.andThen(
              Effect.sync(() => running.push(account_id)),
              Effect.never
            )
          ),
          { startImmediately: true }
        )
      const [first, second] = [yield* run("a"), yield* run("a"), yield* run("a")]
      assert.deepEqual(running, ["a"])
      yield* run("b")
      assert.deepEqual(running, ["a", "b"])
      // One that leaves while it waits takes no slot with it.
      yield* Fiber.interrupt(second)
      yield* Fiber.interrupt(first)
      yield* Effect.yieldNow
      assert.deepEqual(running, ["a", "b", "a"])
    }).pipe(Effect.provide(layerAnalyticsSlots))
  )

  it.effect("lets few of an account wait, whatever others do, and refuses the next with 429", () =>
    Effect.gen(function* () {
      const { within } = yield* AnalyticsSlots
      const wait = Effect.forkChild(within("a")(Effect.never), { startImmediately: true })
      const waiting = yield* Effect.replicateEffect(wait, waitingOfAccount)
      const refused = yield* Effect.flip(within("a")(Effect.void))
      assert.deepInclude(refused, { status: 429, reason: "rate_limited", retryAfterSeconds: 5 })
      yield* within("b")(Effect.void)
      // One that has left is no longer counted.
      for (const fiber of waiting.slice(0, 1)) yield* Fiber.interrupt(fiber)
      yield* Effect.forkChild(within("a")(Effect.never), { startImmediately: true })
      assert.strictEqual((yield* Effect.flip(within("a")(Effect.void))).status, 429)
    }).pipe(Effect.provide(layerAnalyticsSlots))
  )
})
