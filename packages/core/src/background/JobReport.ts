/** `unfinished`: there is more to do, and the job is due at once. `lost`: another process has taken it over. */
export type JobOutcome = "done" | "unfinished" | "failed" | "lost"

/** What `runBackground` reports on a job. */
export interface JobReport {
  /** Its name: [background work](../operating/retention.md#background-work). */
  readonly job: string
  /** `done`, `unfinished`: more is due at once, `failed`, or `lost`: another process has taken it over. */
  readonly outcome: JobOutcome
  /** Rows that the job handled. */
  readonly handled: number
}
