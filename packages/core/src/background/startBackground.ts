/** Background work of an instance: fibers that do it all the time, or one call that does what is due. */
import { Effect } from "effect"
import { keepSendingAlerts, sendDueAlerts } from "../alert/dispatchAlerts.ts"
import { dispatchDue, keepDispatching } from "../delivery/dispatch.ts"
import { withIdleTimers } from "../platform/idleClock.ts"
import { type RetentionSettings, defaultRetention } from "../ports/changes.ts"
import type { JobReport } from "./JobReport.ts"
import { backgroundJobs } from "./backgroundTable.ts"
import { keepRunning, runBackground } from "./runBackground.ts"

/** Two, so that a long job does not keep the others waiting. */
const fibers = 2

/** Nobody traces what nobody asked for. */
const untraced = Effect.withTracerEnabled(false)

/** Runs until the scope closes. */
export const startBackground = (keep: RetentionSettings) => {
  const table = backgroundJobs(keep)
  return Effect.andThen(
    Effect.forEach(Array.from({ length: fibers }), () => Effect.forkScoped(untraced(keepRunning(table))), {
      discard: true
    }),
    Effect.andThen(Effect.forkScoped(untraced(keepDispatching)), Effect.forkScoped(untraced(keepSendingAlerts)))
  ).pipe(withIdleTimers)
}

/** Does what is due and reports on it: for hosts that call it themselves, and for tests that turn the clock. */
export const runBackgroundOnce = (keep: Partial<RetentionSettings> = {}) =>
  Effect.gen(function* () {
    const reports = yield* runBackground(backgroundJobs({ ...defaultRetention, ...keep }))
    const handled = yield* dispatchDue
    const delivery: JobReport = { job: "delivery", outcome: "done", handled }
    const sent = yield* sendDueAlerts
    const alerts: JobReport = { job: "alert_delivery", outcome: "done", handled: sent }
    return [...reports, ...[delivery, alerts].filter((report) => report.handled > 0)]
  }).pipe(untraced)
