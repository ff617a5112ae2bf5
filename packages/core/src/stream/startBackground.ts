/** Background work of an instance: fibers that do it all the time, or one call that does what is due. */
import { Effect } from "effect"
import { backgroundJobs } from "./backgroundTable.ts"
import { defaultRetention, type RetentionSettings } from "./retained.ts"
import { keepRunning, runBackground } from "./runBackground.ts"

/** Two, so that a long job does not keep the others waiting. */
const fibers = 2

/** Nobody traces what nobody asked for. */
const untraced = Effect.withTracerEnabled(false)

/** Runs until the scope closes. */
export const startBackground = (keep: RetentionSettings) => {
  const table = backgroundJobs(keep)
  return Effect.forEach(Array.from({ length: fibers }), () => Effect.forkScoped(untraced(keepRunning(table))), {
    discard: true
  })
}

/** Does what is due and reports on it: for hosts that call it themselves, and for tests that turn the clock. */
export const runBackgroundOnce = (keep: Partial<RetentionSettings> = {}) =>
  untraced(runBackground(backgroundJobs({ ...defaultRetention, ...keep })))
