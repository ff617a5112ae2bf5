/**
 * Public datasets beside the rankings of models: apps, tasks, and the cost of sessions.
 *
 * All are of the whole installation and count only what the operator's side reported (Rule: usage#public-statistics).
 */
import type {
  AppRankingsQuery,
  AppRankingsSort,
  AppSubcategory,
  RankedApp,
  SessionCost,
  SessionCostQuery
} from "@gatewarden/contract"
import { Context, type Effect } from "effect"
import type { Decimal } from "../../value/Decimal.ts"

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
