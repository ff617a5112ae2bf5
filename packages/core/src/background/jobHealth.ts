/** How background jobs are doing, for those who watch an installation. */
import type { JobState } from "../ports/changes.ts"

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
