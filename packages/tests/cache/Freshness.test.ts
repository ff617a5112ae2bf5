/** How long what an instance remembers counts. Rule: access#changes-take-effect. */
import { ChangeLog, type Changes } from "@gatewarden/core/internal"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { Freshness, layerFreshness } from "../../core/src/cache/Freshness.ts"

it.effect("begins anew after a read that took too long, which the next one would as well", () => {
  const asked: (string | undefined)[] = []
  const log = ChangeLog.of({
    announce: Effect.void,
    hear: () => Effect.void,
    since: (position) =>
      Effect.suspend(() => {
        asked.push(position)
        return position === undefined
          ? Effect.succeed({ position: "read", changes: "everything" as const })
          : Effect.never
      })
  })
  return Effect.gen(function* () {
    const { renew, onChange } = yield* Freshness
    const told: Changes[] = []
    onChange((changes) => told.push(changes))
    assert.isTrue(yield* renew)
    yield* TestClock.adjust("2 seconds")
    const late = yield* Effect.forkChild(renew, { startImmediately: true })
    yield* TestClock.adjust("1 second")
    assert.isFalse(yield* Fiber.join(late))
    assert.isTrue(yield* renew)
    assert.deepEqual(asked, [undefined, "read", undefined])
    assert.deepEqual(told, ["everything", "everything"])
  }).pipe(Effect.provideService(ChangeLog, log), Effect.provide(layerFreshness()))
})
