/** Recorded usage in chronological order: whole events, or the fields that decisions depend on. */
import { Context, type Effect } from "effect"
import type { EventFilter } from "./export/EventFilter.ts"
import type { UsageEvent } from "./UsageEvent.ts"

export type RecordedUse = Pick<
  UsageEvent,
  | "id"
  | "created_at"
  | "workspace_id"
  | "api_key_hash"
  | "user_id"
  | "model"
  | "variant"
  | "provider"
  | "endpoint_tag"
  | "data_region"
  | "status"
  | "byok"
  | "cost_nanos"
  | "byok_cost_nanos"
>

export interface HistoryRange {
  /** ISO 8601 in UTC with milliseconds; the start inclusive, the end exclusive. */
  readonly start: string
  readonly end: string
  /** Only the usage of this key. */
  readonly api_key_hash?: string | undefined
}

/** Where the last page ended. */
export interface HistoryPlace {
  readonly created_at: string
  readonly id: string
}

/** Where a page of whole events ends. */
export interface HistoryPage {
  /** The page has the events up to here; the end of the range if there are no more. */
  readonly last: HistoryPlace
  /** There are events behind `last`, which the filter may pass. */
  readonly goesOn: boolean
}

export class UsageHistory extends Context.Service<
  UsageHistory,
  {
    /** At most `limit` events of the range after a position, by `created_at`, then `id` by code point. */
    readonly after: (
      account_id: string,
      range: HistoryRange,
      place: HistoryPlace | undefined,
      limit: number
    ) => Effect.Effect<readonly RecordedUse[]>
    /**
     * The end of a page that begins after a position: behind `limit` events that pass the filter, or behind `examined` events. Its cost
     * depends on these alone.
     */
    readonly pageAfter: (
      account_id: string,
      filter: EventFilter,
      place: HistoryPlace | undefined,
      most: { readonly limit: number; readonly examined: number }
    ) => Effect.Effect<HistoryPage>
    /**
     * Whole events that pass the filter after a position and up to another, in the same order. At least one if there is any, and fewer
     * than there are where they are many or long: an answer is bounded.
     */
    readonly eventsBetween: (
      account_id: string,
      filter: EventFilter,
      place: HistoryPlace | undefined,
      last: HistoryPlace
    ) => Effect.Effect<readonly UsageEvent[]>
  }
>()("gatewarden/UsageHistory") {}
