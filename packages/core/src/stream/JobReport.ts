/** What a run of a background job came to. Apart from the runner, so that the Promise door shows no Effect type. */

/** `unfinished`: there is more to do, and the job is due at once. `lost`: another process has taken it over. */
export type JobOutcome = "done" | "unfinished" | "failed" | "lost"

export interface JobReport {
  readonly job: string
  readonly outcome: JobOutcome
  /** Rows that were handled. */
  readonly handled: number
}
