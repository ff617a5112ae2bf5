/** The tokens of public models in recorded events, summed and ranked. */
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

export class RankingsReader extends Context.Service<
  RankingsReader,
  {
    readonly rank: (request: RankingsRequest) => Effect.Effect<Rankings>
    /** Everything that the operator reported in days from `first` to `last`, of every name, in no order. */
    readonly totals: (days: Pick<RankingsRequest, "first" | "last">) => Effect.Effect<readonly TokenTotal[]>
  }
>()("gatewarden/RankingsReader") {}
