import { Clock, Context, Effect } from "effect"

const sliceMillis = 5
/** What work that begins takes at once while other work waits for its turn: most is done by then. */
const firstSliceMillis = 1

/** When long work goes on after it has yielded to timers, sockets and other requests. */
export interface LoopTurnsFunctions {
  /** Ends when it is the turn of work for the account, `""` for work of no account. */
  readonly next: (account_id: string) => Effect.Effect<void>
  /** Whether other work waits for its turn. */
  readonly isAwaited: () => boolean
}

/** By default each work goes on in the next turn of the loop. A platform where work of many accounts shares a loop may take turns. */
export const LoopTurns = Context.Reference<LoopTurnsFunctions>("gatewarden/LoopTurns", {
  defaultValue: () => ({
    next: () => Effect.promise(() => new Promise<void>((resolve) => setTimeout(resolve, 0))),
    isAwaited: () => false
  })
})

/** Whose work is done. Accounts take turns, so that none waits for all work of another. */
export const WorkingAccount = Context.Reference<string>("gatewarden/WorkingAccount", { defaultValue: () => "" })

/** Milliseconds that only ever grow. */
export const stopwatch = Effect.map(Clock.Clock, (clock) => () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6)

/** For a long loop of effects: `isDue` after a time slice, and `pause` yields to other work. */
export const loopPauses = Effect.gen(function* () {
  const now = yield* stopwatch
  const turns = yield* LoopTurns
  const account_id = yield* WorkingAccount
  let next = now() + (turns.isAwaited() ? firstSliceMillis : sliceMillis)
  return {
    isDue: () => now() >= next,
    pause: Effect.tap(turns.next(account_id), () => Effect.sync(() => (next = now() + sliceMillis)))
  }
})

/**
 * A generator yields this between two steps: `"long"` if the next step takes milliseconds and cannot be split, so that it starts a new
 * slice.
 */
export type Step = void | "long"

/** Runs small steps to their end, and yields to other work between two of them after a time slice. */
export const inSlices = <A>(steps: Generator<Step, A>) => inMeasuredSlices(() => steps)

/** A wait for a turn counts a tenth, so that other work hardly shortens a time limit, and still ends it. */
const waitedShare = 0.1

/** `now`: the milliseconds that the steps themselves have taken so far, and a part of what they have waited. */
export const inMeasuredSlices = Effect.fnUntraced(function* <A>(stepsWith: (now: () => number) => Generator<Step, A>) {
  const now = yield* stopwatch
  const turns = yield* LoopTurns
  const account_id = yield* WorkingAccount
  let waited = 0
  const steps = stepsWith(() => now() - waited)
  let pause = now() + (turns.isAwaited() ? firstSliceMillis : sliceMillis)
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value
    if (step.value !== "long" && now() < pause) continue
    const paused = now()
    yield* turns.next(account_id)
    const resumed = now()
    waited += (resumed - paused) * (1 - waitedShare)
    pause = resumed + sliceMillis
  }
})
