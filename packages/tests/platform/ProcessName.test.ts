import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { vi } from "vitest"
import { pause, withIdleTimers } from "../../core/src/platform/ProcessName.ts"

const longest = 2_147_483_647

/** Turns the timers of the test by hand. */
const withHandTimers = async (run: () => Promise<void>) => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  try {
    await run()
  } finally {
    vi.useRealTimers()
  }
}

/** How many timers keep this process alive. */
const timers = () => process.getActiveResourcesInfo().filter((type) => type === "Timeout").length

describe.each([
  ["a pause", pause],
  ["a sleep with idle timers", (millis: number) => withIdleTimers(Effect.sleep(millis))]
])("%s", (name, wait) => {
  it(`${name} lasts as long as it is told, and a timer that would be too long as long as one can`, () =>
    withHandTimers(async () => {
      for (const [millis, lasts] of [
        [1_000, 1_000],
        [longest, longest],
        [2 ** 40, longest]
      ] as const) {
        const fiber = Effect.runFork(wait(millis))
        await vi.advanceTimersByTimeAsync(lasts - 1)
        assert.isUndefined(fiber.pollUnsafe(), `${millis}`)
        await vi.advanceTimersByTimeAsync(1)
        assert.isDefined(fiber.pollUnsafe(), `${millis}`)
      }
    }))

  it(`${name} leaves no timer behind when it is interrupted`, () =>
    withHandTimers(async () => {
      const fiber = Effect.runFork(wait(1_000))
      assert.strictEqual(vi.getTimerCount(), 1)
      await Effect.runPromise(Fiber.interrupt(fiber))
      assert.strictEqual(vi.getTimerCount(), 0)
    }))

  it(`${name} keeps no process alive`, async () => {
    const before = timers()
    const fiber = Effect.runFork(wait(60_000))
    assert.strictEqual(timers(), before)
    await Effect.runPromise(Fiber.interrupt(fiber))
    const other = setTimeout(() => {}, 60_000)
    assert.strictEqual(timers(), before + 1)
    clearTimeout(other)
  })
})

describe("idle timers", () => {
  it.effect("change nothing of the time", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_234)
      assert.strictEqual(yield* withIdleTimers(Clock.currentTimeMillis), 1_234)
    })
  )

  it("are where a platform has timers that are numbers", async () => {
    vi.stubGlobal("setTimeout", (run: () => void) => {
      queueMicrotask(run)
      return 7
    })
    try {
      await Effect.runPromise(pause(1_000))
    } finally {
      vi.unstubAllGlobals()
    }
  })
})
