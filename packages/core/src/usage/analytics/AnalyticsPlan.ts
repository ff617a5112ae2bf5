/**
 * A query with defaults filled in, names resolved and rules checked, ready for a store to run.
 *
 * Columns of an answer are the time bucket, then the keys, then the measures. Rule: analytics#row-limits.
 */
import type { DimensionName, MetricName, OperatorName } from "@gatewarden/contract"
import type { Decimal } from "../../value/Decimal.ts"
import type { Granularity } from "../../value/calendar.ts"
import type { PlannedDimension } from "./dimensions.ts"

/** The columns that rows are grouped by, in addition to time. */
export type Key = { readonly column: string } & (
  | { readonly kind: "dimension"; readonly dimension: PlannedDimension }
  /** The value of a tag of the plan's classifier. Events without it are left out, or count under `null`. */
  | { readonly kind: "tag"; readonly tag: string; readonly include_nulls: boolean }
  /** The name and value of each tag: an event counts once for every tag that it has. The two come together. */
  | { readonly kind: "tag_name"; readonly include_nulls: boolean }
  | { readonly kind: "tag_value"; readonly include_nulls: boolean }
)

/** On events. A missing value passes only with `include_unset`. One value, except for `in` and `not_in`. */
export interface DimensionFilter {
  readonly dimension: DimensionName
  readonly operator: OperatorName
  readonly values: readonly string[]
  readonly include_unset: boolean
}

/** On events, by a tag of the plan's classifier. A missing tag never passes. */
export interface TagFilter {
  readonly tag: string
  readonly operator: "eq" | "neq" | "in" | "not_in"
  readonly values: readonly string[]
}

/** On rows. An unmeasured value never passes. */
export interface MetricFilter {
  /** Index into the measures. */
  readonly measure: number
  readonly operator: OperatorName
  /** In the unit of the metric: `exact` for counts and nano-dollars, `number` for the others. */
  readonly values: readonly { readonly exact: Decimal; readonly number: number }[]
}

export interface OrderTerm {
  readonly by:
    | { readonly kind: "time" }
    /** Index into the keys, or the measures. */
    | { readonly kind: "key" | "measure"; readonly index: number }
  readonly descending: boolean
}

export interface AnalyticsPlan {
  /** Epoch milliseconds, `end` exclusive. */
  readonly start: number
  readonly end: number
  readonly granularity: Granularity | null
  readonly keys: readonly Key[]
  /** All metrics to compute: those shown, filtered on or ordered by. */
  readonly measures: readonly MetricName[]
  /** The shown metrics: the column of each, and its index into the measures. */
  readonly columns: readonly { readonly column: string; readonly measure: number }[]
  /** The one classifier whose tags are keys or are filtered on. */
  readonly classifier_id: string | null
  readonly tagFilters: readonly TagFilter[]
  readonly filters: readonly DimensionFilter[]
  readonly having: readonly MetricFilter[]
  /** Total: no two rows are equal in it. `null` is last in either direction. */
  readonly order: readonly OrderTerm[]
  /** Maximum rows for each combination of keys; `null` if no row can be cut. */
  readonly group_limit: number | null
  readonly limit: number
}
