/** The background jobs: one row each. Adding one is a row here. */
import { Effect } from "effect"
import { signEnds } from "../audit/sealChanges.ts"
import { advanceSyncJobs } from "../directory/mappingOperations.ts"
import { advanceErasures } from "../erasure/erasure.ts"
import { sweepStaleFiles } from "../file/file.ts"
import type { StorePorts } from "../ports/StorePorts.ts"
import { Alerts } from "../ports/alerts.ts"
import { AuditLog } from "../ports/auditLog.ts"
import type { Committed, JobState } from "../ports/backgroundJobs.ts"
import { type RetentionSettings, Retention, retained, retainedNames } from "../ports/retention.ts"
import { UsageLog } from "../ports/usage.ts"
import type { Vault } from "../vault/Vault.ts"

/** `R`: the services of the batch. */
export interface BackgroundJob<R = StorePorts> {
  readonly name: string
  /** Seconds from the end of a run to the next, more or less a tenth. */
  readonly every: number
  /** `transaction`: each batch commits together with the check of the lease. `itself`: a batch that is done twice does no harm. */
  readonly fencedBy: "transaction" | "itself"
  /**
   * One bounded batch. Its value is how many rows it handled; 0 when nothing is left to do. A consumer gets its position and answers
   * where it reads on (`consume`), and a job whose accounts take turns the account that was last; it is fenced by the transaction.
   */
  readonly batch: (position: string | null) => Effect.Effect<Committed<number>, never, R>
}

/** A batch that needs no position. */
const sweeping = <R>(batch: Effect.Effect<number, never, R>) => {
  const counted = Effect.map(batch, (value) => ({ value }))
  return () => counted
}

const atOnce = 500
const foldedAtOnce = 5_000
const measuredAtOnce = 20_000

const ofRetention = (use: (retention: typeof Retention.Service) => Effect.Effect<number>) =>
  sweeping(Effect.flatMap(Retention, use))

export const backgroundJobs = (keep: RetentionSettings): readonly BackgroundJob<StorePorts | Vault>[] => [
  {
    name: "expired_holds",
    every: 5,
    fencedBy: "transaction",
    batch: ofRetention((retention) => retention.releaseExpiredHolds(atOnce))
  },
  {
    name: "rankings",
    every: 300,
    // Its own locks keep sums and events equal, whoever folds.
    fencedBy: "itself",
    batch: ofRetention((retention) => retention.foldRankings(4, keep.ranking_days))
  },
  {
    name: "usage_rollups",
    every: 2,
    // An event leaves those that wait in the transaction that adds it.
    fencedBy: "itself",
    batch: ofRetention((retention) => retention.foldUsage(foldedAtOnce))
  },
  {
    name: "endpoint_statistics",
    every: 60,
    // A row leaves in the transaction that adds it to another.
    fencedBy: "itself",
    batch: ofRetention((retention) => retention.measureEndpoints(measuredAtOnce))
  },
  {
    name: "spending",
    every: 3_600,
    fencedBy: "transaction",
    batch: ofRetention((retention) => retention.mergeSpending(atOnce))
  },
  {
    name: "usage_days",
    every: 300,
    // A day is made or dropped once, whoever does it.
    fencedBy: "itself",
    batch: ofRetention((retention) => retention.keepUsage(keep.usage_days, keep.ranking_days, atOnce))
  },
  {
    name: "usage_forwarding",
    every: 5,
    // The other store counts an event once, however often it is sent.
    fencedBy: "itself",
    batch: sweeping(Effect.flatMap(UsageLog, (log) => log.forward))
  },
  { name: "directory_syncs", every: 2, fencedBy: "transaction", batch: advanceSyncJobs },
  { name: "erasures", every: 2, fencedBy: "transaction", batch: advanceErasures },
  {
    name: "alert_detection",
    every: 60,
    // An alert is recorded once, whoever detects it.
    fencedBy: "itself",
    batch: sweeping(Effect.flatMap(Alerts, (alerts) => alerts.detect(atOnce)))
  },
  { name: "files", every: 60, fencedBy: "itself", batch: sweeping(sweepStaleFiles) },
  {
    name: "audit_seals",
    every: 1,
    // A lock of its own lets one caller seal at a time: readers of the audit log do it as well.
    fencedBy: "itself",
    batch: sweeping(
      Effect.tap(
        Effect.flatMap(AuditLog, (log) => log.seal(undefined)),
        () => signEnds(undefined)
      )
    )
  },
  ...retainedNames.map((what): BackgroundJob => ({
    name: what,
    every: retained[what].every_seconds,
    fencedBy: "transaction",
    batch: ofRetention((retention) => retention.sweep(what, keep[what], atOnce))
  }))
]

export interface FactsRead<F> {
  /** In the order of their positions. */
  readonly facts: readonly F[]
  /** Where to read on; the position that was asked for when there was nothing new. */
  readonly position: string | null
}

/** A stream, from after a position on, at most so many facts; `null` is its beginning. A reader skips no fact that commits later. */
export type StreamReader<F, R> = (position: string | null, limit: number) => Effect.Effect<FactsRead<F>, never, R>

/**
 * A consumer reads a stream of committed facts in the order of its positions and does something with each fact, once.
 *
 * It is a background job: its position is kept with its lease. Where the effect lies in the same database, effect and position commit
 * in one transaction, so that a holder that dies in between leaves neither, and the next one begins with the same facts.
 *
 * The batch of a job that consumes a stream.
 */
export const consume =
  <F, R, R2>(
    read: StreamReader<F, R>,
    apply: (facts: readonly F[]) => Effect.Effect<void, never, R2>,
    limit: number
  ): ((before: string | null) => Effect.Effect<Committed<number>, never, R | R2>) =>
  (before) =>
    Effect.gen(function* () {
      const { facts, position } = yield* read(before, limit)
      if (facts.length > 0) yield* apply(facts)
      return { value: facts.length, ...(position === null ? {} : { position }) }
    })

/** What a run of a background job came to. Apart from the runner, so that the Promise door shows no Effect type. */
/** How background jobs are doing, for those who watch an installation. */
export interface JobHealth {
  readonly job: string
  /** Seconds since the last run that did not fail; `null` before the first. */
  readonly age_seconds: number | null
  /** Seconds for which the job has been due; 0 when it is not. */
  readonly lag_seconds: number
  /** Runs that failed in a row. */
  readonly failures: number
}

export const jobHealth = (now: number, jobs: readonly JobState[]): readonly JobHealth[] =>
  jobs.map(({ job, due_at, succeeded_at, failures }) => ({
    job,
    age_seconds: succeeded_at === null ? null : Math.max(0, (now - succeeded_at) / 1_000),
    lag_seconds: Math.max(0, (now - due_at) / 1_000),
    failures
  }))

/** A job that is due for longer than this has nobody who does it, or does not get done. */
const mostLagSeconds = 600

/** What is wrong with a job, in a few words; `undefined` when it is well. */
export const jobProblem = ({ job, lag_seconds, failures }: JobHealth): string | undefined => {
  if (failures > 0) return `${job} failed ${failures} times in a row`
  return lag_seconds > mostLagSeconds ? `${job} has been due for ${Math.round(lag_seconds / 60)} minutes` : undefined
}
