import { Clock, Effect } from "effect"

const sliceMillis = 5

/** Yields to timers, sockets and other requests. */
const giveWay = Effect.promise(() => new Promise<void>((resolve) => setTimeout(resolve, 0)))

/** Milliseconds that only ever grow. */
export const stopwatch = Effect.map(Clock.Clock, (clock) => () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6)

/** For a long loop of effects: `isDue` after a time slice, and `pause` yields to other work. */
export const breathing = Effect.map(stopwatch, (now) => {
  let next = now() + sliceMillis
  return {
    isDue: () => now() >= next,
    pause: Effect.tap(giveWay, () => Effect.sync(() => (next = now() + sliceMillis)))
  }
})

/**
 * A generator yields this between two steps: `"long"` if the next step takes milliseconds and cannot be split, so that it starts a new
 * slice.
 */
export type Step = void | "long"

/** Runs small steps to their end, and yields to other work between two of them after a time slice. */
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
