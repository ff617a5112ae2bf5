import { Clock, Effect } from "effect"

const sliceMillis = 5

/** Lets timers, sockets and other requests have their turn. */
const giveWay = Effect.promise(() => new Promise<void>((resolve) => setTimeout(resolve, 0)))

/** Milliseconds that only ever grow. */
export const stopwatch = Effect.map(Clock.Clock, (clock) => () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6)

/** For a long loop of effects: `isDue` once others have waited for a while, and `pause` lets them have their turn. */
export const breathing = Effect.map(stopwatch, (now) => {
  let next = now() + sliceMillis
  return {
    isDue: () => now() >= next,
    pause: Effect.tap(giveWay, () => Effect.sync(() => (next = now() + sliceMillis)))
  }
})

/** What a generator yields between two steps: `"long"` when the next step takes milliseconds and cannot be cut, so that it begins a slice. */
export type Step = void | "long"

/** Runs small steps to their end, and pauses between two of them when others have waited for a while. */
export const inSlices = Effect.fnUntraced(function* <A>(steps: Generator<Step, A>) {
  const now = yield* stopwatch
  let pause = now() + sliceMillis
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value
    if (step.value !== "long" && now() < pause) continue
    yield* giveWay
    pause = now() + sliceMillis
  }
})
