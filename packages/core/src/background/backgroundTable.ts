/** The background jobs: one row each. Adding one is a row here. */
import { Effect } from "effect"
import { signEnds } from "../audit/signEnds.ts"
import { advanceSyncJobs } from "../directory/advanceSyncJobs.ts"
import { advanceErasures } from "../erasure/advanceErasures.ts"
import { sweepStaleFiles } from "../file/sweepFiles.ts"
import type { StorePorts } from "../ports/StorePorts.ts"
import { Alerts } from "../ports/alerts.ts"
import {
  AuditLog,
  type Committed,
  Retention,
  type RetentionSettings,
  retained,
  retainedNames
} from "../ports/changes.ts"
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
   * where it reads on (`consume`); it is fenced by the transaction.
   */
  readonly batch: (position: string | null) => Effect.Effect<Committed<number>, never, R>
}

/** A batch that needs no position. */
const sweeping = <R>(batch: Effect.Effect<number, never, R>) => {
  const counted = Effect.map(batch, (value) => ({ value }))
  return () => counted
}

const atOnce = 500

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
    name: "spending",
    every: 3_600,
    fencedBy: "transaction",
    batch: ofRetention((retention) => retention.mergeSpending(atOnce))
  },
  { name: "directory_syncs", every: 2, fencedBy: "transaction", batch: sweeping(advanceSyncJobs) },
  { name: "erasures", every: 2, fencedBy: "transaction", batch: sweeping(advanceErasures) },
  {
    name: "alert_detection",
    every: 60,
    fencedBy: "transaction",
    batch: sweeping(Effect.flatMap(Alerts, (alerts) => alerts.detect(atOnce)))
  },
  { name: "files", every: 600, fencedBy: "itself", batch: sweeping(sweepStaleFiles) },
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
