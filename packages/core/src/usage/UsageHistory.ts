/** Recorded usage in chronological order, with the fields that decisions depend on. */
import { Context, type Effect } from "effect"
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
  }
>()("gatewarden/UsageHistory") {}
