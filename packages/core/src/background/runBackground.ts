/**
 * Does background work: claims jobs that are due, one after the other, and runs each in bounded batches under its lease.
 *
 * A run that fails is logged, counted in the job's state and tried again, later each time. A run that takes too long ends after a batch and goes
 * on when it is claimed again; whatever interrupts it leaves a lease that ends by itself within seconds.
 *
 * Rule: operating#background-jobs.
 */
import { Cause, Effect, Exit, Option, Random } from "effect"
import { keepSendingAlerts, sendDueAlerts } from "../alert/dispatchAlerts.ts"
import { dispatchDue, keepDispatching } from "../delivery/dispatch.ts"
import { pause, withIdleTimers } from "../platform/ProcessName.ts"
import { type JobTurn, BackgroundJobs } from "../ports/backgroundJobs.ts"
import { asServer } from "../ports/acting.ts"
import { type RetentionSettings, defaultRetention } from "../ports/retention.ts"
import { type BackgroundJob, backgroundJobs } from "./backgroundTable.ts"
import { type JobOutcome, type JobReport } from "./JobReport.ts"

/** Another process takes a job over so long after its holder died, at the latest, and the time of a statement. */
export const leaseSeconds = 3
const renewEvery = "1 second"
/** A run is ended after this, so that other jobs have their turn. */
const patience = "20 seconds"
const longestBackOffSeconds = 300

/** Fails when the lease is lost, else goes on for as long as it is let. */
const keepLease = (jobs: typeof BackgroundJobs.Service, turn: JobTurn) =>
  Effect.sleep(renewEvery).pipe(
    Effect.andThen(jobs.renew(turn, leaseSeconds)),
    Effect.repeat({ while: (isHeld) => isHeld })
  )

/** `handled` counts while the batches go on, so that a run that ends in the middle reports what it did. */
const runBatches = Effect.fnUntraced(function* <R>(
  jobs: typeof BackgroundJobs.Service,
  turn: JobTurn,
  { batch, fencedBy }: BackgroundJob<R>,
  count: (handled: number) => void
) {
  const step =
    fencedBy === "itself" ? Effect.map(batch(null), ({ value }) => Option.some(value)) : jobs.commit(turn, batch)
  for (;;) {
    const handled = yield* step
    if (Option.isNone(handled)) return "lost" as const
    if (handled.value === 0) return "done" as const
    count(handled.value)
  }
})

const backOff = (failures: number, every: number): number =>
  Math.min(2 ** failures, longestBackOffSeconds, Math.max(1, every))

const runJob = Effect.fnUntraced(function* <R>(job: BackgroundJob<R>, turn: JobTurn) {
  const jobs = yield* BackgroundJobs
  let handled = 0
  const batches = asServer(
    job.name,
    runBatches(jobs, turn, job, (more) => (handled += more))
  ).pipe(Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.succeed("unfinished" as const) }))
  const lost = Effect.as(keepLease(jobs, turn), "lost" as const)
  const exit = yield* Effect.exit(Effect.raceFirst(batches, lost))
  if (Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.failCause(exit.cause)
  const outcome: JobOutcome = Exit.isSuccess(exit) ? exit.value : "failed"
  if (Exit.isFailure(exit))
    yield* Effect.logWarning("background job failed", { job: job.name, failures: turn.failures + 1 }, exit.cause)
  if (outcome !== "lost") {
    const jitter = yield* Random.nextBetween(0.9, 1.1)
    const due_in_seconds =
      outcome === "failed" ? backOff(turn.failures, job.every) : outcome === "unfinished" ? 0 : job.every * jitter
    // Without an answer the lease ends by itself.
    yield* Effect.ignoreCause(jobs.finish(turn, { failed: outcome === "failed", due_in_seconds }))
  }
  return { job: job.name, outcome, handled } satisfies JobReport
})

/** Claims one of the jobs and runs it; none when nothing is due. */
const runNext = Effect.fnUntraced(function* <R>(table: readonly BackgroundJob<R>[]) {
  const claimed = yield* (yield* BackgroundJobs).claim(
    table.map(({ name }) => name),
    leaseSeconds
  )
  if (claimed.turn === undefined) return claimed
  const { turn } = claimed
  const job = table.find(({ name }) => name === turn.job)
  return job === undefined ? yield* Effect.die(new Error(`no job ${turn.job}`)) : yield* runJob(job, turn)
})

/**
 * Does what is due, each job at most once, and reports on what it ran. Jobs that are not due, or that another process holds, are not
 * in the report.
 */
export const runBackground: <R>(
  table: readonly BackgroundJob<R>[]
) => Effect.Effect<readonly JobReport[], never, BackgroundJobs | R> = Effect.fnUntraced(function* <R>(
  table: readonly BackgroundJob<R>[]
) {
  const reports: JobReport[] = []
  let left = table
  while (left.length > 0) {
    const next = yield* runNext(left)
    if (!("job" in next)) break
    reports.push(next)
    left = left.filter(({ name }) => name !== next.job)
  }
  return reports
})

const longestWaitMillis = 30_000
/** Between two looks when the store does not answer, and the least between any two. */
const afterFailureMillis = 2_000
const leastWaitMillis = 250
const mostJitterMillis = 250

/** Claims and runs for as long as it is let. Run several for jobs that must not wait for each other. */
export const keepRunning: <R>(table: readonly BackgroundJob<R>[]) => Effect.Effect<never, never, BackgroundJobs | R> =
  Effect.fnUntraced(function* <R>(table: readonly BackgroundJob<R>[]) {
    for (;;) {
      const exit = yield* Effect.exit(runNext(table))
      if (Exit.isFailure(exit)) {
        if (Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.failCause(exit.cause)
        yield* Effect.logWarning("background work cannot reach the store", exit.cause)
        yield* pause(afterFailureMillis)
      } else if ("wait_millis" in exit.value) {
        const wait = Math.min(Math.max(exit.value.wait_millis, leastWaitMillis), longestWaitMillis)
        yield* pause(wait + (yield* Random.nextBetween(0, Math.min(wait / 10, mostJitterMillis))))
      }
    }
  })

/** Two, so that a long job does not keep the others waiting. */
const fibers = 2

/** Nobody traces what nobody asked for. */
const untraced = Effect.withTracerEnabled(false)

/**
 * Background work of an instance: fibers that do it all the time, or one call that does what is due.
 *
 * Runs until the scope closes.
 */
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
