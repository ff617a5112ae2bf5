/** Reads usage events as a plan says. */
import { Context, type Effect } from "effect"
import type { AnalyticsPlan } from "./AnalyticsPlan.ts"

/** A row: values in the order of the plan's keys and measures. */
export interface AnalyticsCell {
  /** Start of the bucket in epoch milliseconds; `null` without granularity. */
  readonly time: number | null
  readonly keys: readonly (string | null)[]
  /** Counts and nano-dollars are bigints; `null`: not measured. */
  readonly measures: readonly (bigint | number | null)[]
}

export interface AnalyticsResult {
  readonly cells: readonly AnalyticsCell[]
  /** A limit removed at least one row. */
  readonly truncated: boolean
}

export class AnalyticsReader extends Context.Service<
  AnalyticsReader,
  {
    /** In the plan's order. `unknown_classifier`: no event of the account carries the plan's classifier. May be interrupted. */
    readonly read: (account_id: string, plan: AnalyticsPlan) => Effect.Effect<AnalyticsResult | "unknown_classifier">
  }
>()("gatewarden/AnalyticsReader") {}
