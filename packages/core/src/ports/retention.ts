import { daysOfUnit } from "@gatewarden/contract/internal"
import { Context, type Effect } from "effect"

interface RetainedRows {
  readonly default_seconds: number
  /** The least that keeps every promise. */
  readonly min_seconds: number
  readonly every_seconds: number
}

const rows = (every_seconds: number, default_seconds: number, min_seconds: number): RetainedRows => ({
  every_seconds,
  default_seconds,
  min_seconds
})

const minute = 60
const hour = 3_600
const day = 86_400

/**
 * What is deleted once nobody needs it: one row for each table that grows with time. Usage has a setting of its own (`usage_days`).
 *
 * A row is kept until it no longer counts, and for the time of its setting after that. The table makes the jobs and the variables
 * `GATEWARDEN_KEEP_...`; docs/operating/retention.md describes each row.
 *
 * Rule: operating#retention.
 *
 * How often they are swept, how long they are kept, and the least that they may be.
 */
export const retained = {
  idempotency_records: rows(minute, 0, 0),
  authorization_codes: rows(minute, 0, 0),
  token_exchanges: rows(minute, 0, 0),
  request_counts: rows(hour, 2 * day, day),
  key_admissions: rows(minute, 0, 0),
  holds: rows(hour, 35 * day, day),
  budget_windows: rows(hour, 35 * day, day),
  // While its window lasts, a warning is not given again.
  budget_warnings: rows(hour, 400 * day, (Math.max(...Object.values(daysOfUnit)) + 1) * day),
  changes: rows(hour, 400 * day, day),
  deleted_keys: rows(hour, 90 * day, 0),
  key_secrets: rows(hour, 90 * day, 0),
  generation_feedback: rows(hour, 400 * day, 0),
  generation_contents: rows(hour, 30 * day, 0),
  // An event is tried for a day, and its destination at least every quarter of an hour.
  deliveries: rows(hour, 3 * day, day + hour),
  delivery_attempts: rows(hour, 30 * day, 0),
  dead_letters: rows(hour, 30 * day, 0),
  // A key is alerted of for the last time a day before it expires, and a budget while its warning is kept.
  alerts: rows(hour, 30 * day, 8 * day),
  unfinished_imports: rows(10 * minute, hour, 10 * minute),
  ranking_days: rows(hour, 1_100 * day, 40 * day)
} as const

export type Retained = keyof typeof retained

export const retainedNames = Object.keys(retained) as readonly Retained[]

/** Seconds for which rows are kept once they are not needed, by table. */
export interface RetentionSettings extends Readonly<Record<Retained, number>> {
  /** Days, not seconds, for which usage events are kept, from 35. Absent: for ever. */
  readonly usage_days?: number | undefined
}

/** Rankings, datasets and the months of budgets have read a day by then. */
export const fewestUsageDays = 35
export const mostUsageDays = 36_500

export const defaultRetention = Object.fromEntries(
  retainedNames.map((name) => [name, retained[name].default_seconds])
) as Record<Retained, number> as RetentionSettings

/** `GATEWARDEN_KEEP_HOLDS` for `holds`. */
export const retentionVariable = (name: Retained): string => `GATEWARDEN_KEEP_${name.toUpperCase()}`

/** Deletes what is no longer needed, installation-wide: sweeps of the retention table, and other upkeep of a store. */
export class Retention extends Context.Service<
  Retention,
  {
    /** Deletes rows that ended longer ago than this, a bounded batch of them. Answers how many; 0 when none is left. */
    readonly sweep: (what: Retained, olderThanSeconds: number, atMost: number) => Effect.Effect<number>
    /** Gives back what expired holds still hold, of one account or a few. Answers how many holds; 0 when none is left. */
    readonly releaseExpiredHolds: (atMost: number) => Effect.Effect<number>
    /** Merges the sums of days that no window needs apart, so that an entity that spends no more has one row. Answers how many rows; 0 when none is left. */
    readonly mergeSpending: (atMost: number) => Effect.Effect<number>
    /**
     * Makes room for the usage of the days to come, drops a day of usage that is older than what is kept, or forgets some ids of days that
     * were dropped as long ago again. Answers what it did, in days or ids; 0 when nothing is left. `days`: for which events are kept; absent:
     * for ever. `rankingSeconds`: for which the daily sums of rankings are kept; a day whose sums are still to be made stays.
     *
     * Once a day is dropped, events of it and of days before are taken for repetitions, as is any event with the id of a dropped one while
     * the id is known (Rule: operating#retention-of-usage).
     */
    readonly keepUsage: (days: number | undefined, rankingSeconds: number, atMost: number) => Effect.Effect<number>
    /** Sums days of usage for rankings, a few at a time, not those that are older than what is kept. Answers how many; 0 when none is left. */
    readonly foldRankings: (atMost: number, keptSeconds: number) => Effect.Effect<number>
    /** Adds recorded events to the sums that analytics reads (`rollups`), then sums days that are over. Answers how many; 0 when none is left. */
    readonly foldUsage: (atMost: number) => Effect.Effect<number>
    /** Adds up what statistics of endpoints count, minutes first and then hours, and forgets what is too old. Answers how many rows; 0 when none is left. */
    readonly measureEndpoints: (atMost: number) => Effect.Effect<number>
  }
>()("gatewarden/Retention") {}
