import { Context, type Effect, type Option } from "effect"

/** One run of a job by one holder. */
export interface JobTurn {
  readonly job: string
  /** Grows with each turn. A turn with an older token has lost its lease. */
  readonly token: number
  /** Runs that failed in a row before this one. */
  readonly failures: number
}

export interface JobState {
  readonly job: string
  /** Epoch milliseconds. */
  readonly due_at: number
  /** The end of the lease; `null` while nobody holds the job. */
  readonly lease_until: number | null
  /** When the last run began; `null` before the first. */
  readonly began_at: number | null
  /** When the last run that did not fail ended. */
  readonly succeeded_at: number | null
  /** Runs that failed in a row until now. */
  readonly failures: number
  /** Where a consumer reads on, or the account that had the last turn; `null` for other jobs. */
  readonly position: string | null
}

export type Claimed =
  | { readonly turn: JobTurn }
  /** Nothing can be claimed now. Milliseconds until the first of the jobs is due and free. */
  | { readonly turn: undefined; readonly wait_millis: number }

export interface Finish {
  readonly failed: boolean
  readonly due_in_seconds: number
}

/** What a transaction of a turn comes to. `position`: where the consumer reads on, if it moves. */
export interface Committed<A> {
  readonly value: A
  readonly position?: string
}

/**
 * Leases of background jobs: one holder at a time in the installation, fenced by a token that grows with each holder.
 *
 * The store's clock decides what is due and when a lease ends (`LedgerClock`). A job whose holder dies stays due, so another process
 * takes it over as soon as the lease has ended.
 *
 * Rule: operating#background-jobs.
 */
export class BackgroundJobs extends Context.Service<
  BackgroundJobs,
  {
    /** Takes the lease of one of the jobs that are due and free, the one that is due for the longest time. */
    readonly claim: (jobs: readonly string[], leaseSeconds: number) => Effect.Effect<Claimed>
    /** Extends the lease. `false`: another holder has taken the job over. */
    readonly renew: (turn: JobTurn, leaseSeconds: number) => Effect.Effect<boolean>
    /**
     * Runs work in one transaction with the check of the token and the new position: all of it happens, or nothing. The work receives the
     * position. None, and nothing happens, when the lease is lost. No other process takes the job over while the transaction is open.
     */
    readonly commit: <A, E, R>(
      turn: JobTurn,
      work: (position: string | null) => Effect.Effect<Committed<A>, E, R>
    ) => Effect.Effect<Option.Option<A>, E, R>
    /** Gives the lease back and sets when the job is due again. `false`: the lease was lost before. */
    readonly finish: (turn: JobTurn, finish: Finish) => Effect.Effect<boolean>
    /** All jobs that were ever claimed, by name, and the instant that they are judged by, in epoch milliseconds. */
    readonly states: Effect.Effect<{ readonly now: number; readonly jobs: readonly JobState[] }>
  }
>()("gatewarden/BackgroundJobs") {}
