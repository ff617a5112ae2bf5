/** Deletes what is no longer needed, installation-wide: sweeps of the retention table, and other upkeep of a store. */
import { Context, type Effect } from "effect"
import type { Retained } from "./retained.ts"

export class Retention extends Context.Service<
  Retention,
  {
    /** Deletes rows that ended longer ago than this, a bounded batch of them. Answers how many; 0 when none is left. */
    readonly sweep: (what: Retained, olderThanSeconds: number, atMost: number) => Effect.Effect<number>
    /** Gives back what expired holds still hold, of one account or a few. Answers how many holds; 0 when none is left. */
    readonly releaseExpiredHolds: (atMost: number) => Effect.Effect<number>
    /** Merges the sums of days that no window needs apart, so that an entity that spends no more has one row. Answers how many rows; 0 when none is left. */
    readonly mergeSpending: (atMost: number) => Effect.Effect<number>
    /** Sums days of usage for rankings, a few at a time, not those that are older than what is kept. Answers how many; 0 when none is left. */
    readonly foldRankings: (atMost: number, keptSeconds: number) => Effect.Effect<number>
  }
>()("gatewarden/Retention") {}
