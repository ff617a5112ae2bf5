/** The tokens of public models, summed and ranked over recorded events. */
import type { RankingRow, RankingsPeriod, RankingsQuery } from "@gatewarden/contract"
import { Context, type Effect } from "effect"

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
   * When the last event behind the rows was recorded, or when the catalog last changed what is ranked, whichever is later;
   * null when neither ever was.
   */
  readonly changed_at: string | null
}

export class RankingsReader extends Context.Service<
  RankingsReader,
  { readonly rank: (request: RankingsRequest) => Effect.Effect<Rankings> }
>()("gatewarden/RankingsReader") {}
