import type {
  AppRankingsQuery,
  AppRankingsSort,
  AppSubcategory,
  CatalogEndpoint,
  DimensionName,
  EndpointStatistics,
  MetricName,
  OperatorName,
  RankedApp,
  RankingRow,
  RankingsPeriod,
  RankingsQuery,
  SessionCost,
  SessionCostQuery
} from "@gatewarden/contract/internal"
import { Context, type Effect } from "effect"
import type { Variants } from "../catalog/modelNames.ts"
import type { Decimal } from "../value/money.ts"
import type { Granularity } from "../value/calendar.ts"

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
  /** What it was read from, in a few words; absent: events. */
  readonly source?: string
}

/** Reads usage events as a plan says. */
export class AnalyticsReader extends Context.Service<
  AnalyticsReader,
  {
    /** In the plan's order. `unknown_classifier`: no event of the account carries the plan's classifier. May be interrupted. */
    readonly read: (account_id: string, plan: AnalyticsPlan) => Effect.Effect<AnalyticsResult | "unknown_classifier">
  }
>()("gatewarden/AnalyticsReader") {}

/** The columns that rows are grouped by, in addition to time. */
export type Key = { readonly column: string } & (
  | { readonly kind: "dimension"; readonly dimension: DimensionName }
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

/**
 * A query with defaults filled in, names resolved and rules checked, ready for a store to run.
 *
 * Columns of an answer are the time bucket, then the keys, then the measures. Rule: analytics#row-limits.
 */
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

export type DimensionField =
  | "model"
  | "variant"
  | "api_key_hash"
  | "user_id"
  | "workspace_id"
  | "app"
  | "id"
  | "provider"
  | "origin"
  | "country"
  | "finish_reason"
  | "external_user"
  | "context_length_bucket"
  | "endpoint_tag"
  | "status"
  | "session_id"
  | "guardrail_id"

/** The field of an event that each dimension shows. Columns of stores have the same names. Rule: analytics#dimensions. */
export const dimensions: Readonly<Record<DimensionName, DimensionField>> = {
  model: "model",
  variant: "variant",
  api_key_id: "api_key_hash",
  user: "user_id",
  workspace: "workspace_id",
  app: "app",
  generation_id: "id",
  provider: "provider",
  origin: "origin",
  country: "country",
  finish_reason: "finish_reason",
  external_user: "external_user",
  context_length_bucket: "context_length_bucket",
  endpoint: "endpoint_tag",
  status: "status",
  session_id: "session_id",
  guardrail: "guardrail_id"
}

/** Days in UTC, `YYYY-MM-DD`, both inclusive. */
export interface DayWindow {
  readonly first: string
  readonly last: string
}

export interface AppRankingsRequest extends DayWindow, Pick<AppRankingsQuery, "limit" | "offset"> {
  readonly sort: AppRankingsSort
  /** Apps that named one of these in the window; undefined: all. */
  readonly categories?: readonly AppSubcategory[] | undefined
}

export interface AppRanks {
  readonly rows: readonly RankedApp[]
  /** When the last event was recorded that is counted for any app; null: there is none. */
  readonly changed_at: string | null
}

/** Sums of sampled requests: each counts as many times as its weight says. */
export interface SampledSums {
  readonly requests: Decimal
  readonly tokens: Decimal
}

export interface TaskSums extends SampledSums {
  readonly tag: string
  /** The public models with the most requests. */
  readonly models: readonly (SampledSums & { readonly model_permaslug: string })[]
}

export interface SessionCostRequest extends Pick<
  SessionCostQuery,
  "app_slug" | "model" | "turn_range" | "limit" | "offset"
> {
  /** The first day of the week, a Monday. */
  readonly monday: string
}

export interface SessionCostCells {
  readonly rows: readonly SessionCost[]
  /** Whether the week has any cell, whatever the request asks for. */
  readonly isPublished: boolean
  /** The later of the times at which the last counted event was recorded and the catalog last changed a model; null: never. */
  readonly changed_at: string | null
}

/**
 * Public datasets beside the rankings of models: apps, tasks, and the cost of sessions.
 *
 * All are of the whole installation and count only what the operator's side reported (Rule: usage#public-statistics).
 */
export class DatasetsReader extends Context.Service<
  DatasetsReader,
  {
    /** A part of the ranking. Apps that are shown for the first time get a number, in order. */
    readonly apps: (request: AppRankingsRequest) => Effect.Effect<AppRanks>
    /** The `mostTasks` tasks with the most requests, in that order. */
    readonly tasks: (days: DayWindow) => Effect.Effect<readonly TaskSums[]>
    /** A part of the cells, by app, model and turns. */
    readonly sessions: (request: SessionCostRequest) => Effect.Effect<SessionCostCells>
  }
>()("gatewarden/DatasetsReader") {}

/** Which events are counted, and in which buckets they are shown. */
export interface RankingsRequest extends Pick<
  RankingsQuery,
  "modality" | "context_bucket" | "category" | "language_type"
> {
  readonly period: RankingsPeriod
  /** Days in UTC, `YYYY-MM-DD`, both inclusive; with `category` or `language_type` whole ISO weeks. */
  readonly first: string
  readonly last: string
}

export interface Rankings {
  /** As `rankDays` has them. */
  readonly rows: readonly RankingRow[]
  /**
   * The later of the times at which the last counted event was recorded and the catalog last changed a ranked model; null if neither ever
   * happened.
   */
  readonly changed_at: string | null
}

/** The tokens of one recorded name. */
export interface TokenTotal {
  readonly slug: string
  readonly variant: string
  /** Prompt and completion. */
  readonly tokens: bigint
}

/** The tokens of public models in recorded events, summed and ranked. */
export class RankingsReader extends Context.Service<
  RankingsReader,
  {
    readonly rank: (request: RankingsRequest) => Effect.Effect<Rankings>
    /**
     * A text that changes whenever the answer to a request about days from `first` to `last` does, of which both are inclusive; undefined
     * where the store does not know, as while the days are not summed. It costs little, however much was recorded.
     */
    readonly edition: (days: Pick<RankingsRequest, "first" | "last">) => Effect.Effect<string | undefined>
    /** Everything that the operator reported in days from `first` to `last`, of every name, in no order. */
    readonly totals: (days: Pick<RankingsRequest, "first" | "last">) => Effect.Effect<readonly TokenTotal[]>
  }
>()("gatewarden/RankingsReader") {}

export interface EndpointStatisticsQuery {
  /**
   * The account, for a model of its own: all events of the account count, and no others. Without an account the model is the
   * installation's: all events that the operator reported count (Rule: usage#public-statistics).
   */
  readonly account_id?: string | undefined
  /** The slug under which the model's usage is recorded, and which of its variants count. */
  readonly slug: string
  readonly variants: Variants
  readonly endpoints: readonly Pick<CatalogEndpoint, "tag" | "provider_slug">[]
  /** Epoch milliseconds at which the windows end. */
  readonly now: number
}

/** Statistics of a model's endpoints from recorded usage. */
export class EndpointStatisticsReader extends Context.Service<
  EndpointStatisticsReader,
  {
    /** The statistics of every endpoint, in the order of the query. */
    readonly measure: (query: EndpointStatisticsQuery) => Effect.Effect<readonly EndpointStatistics[]>
  }
>()("gatewarden/EndpointStatisticsReader") {}
