/** Statistics of a model's endpoints from recorded usage. */
import type { CatalogEndpoint, EndpointStatistics } from "@gatewarden/contract"
import { Context, type Effect } from "effect"
import type { Variants } from "../../model/resolveModelName.ts"

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

export class EndpointStatisticsReader extends Context.Service<
  EndpointStatisticsReader,
  {
    /** The statistics of every endpoint, in the order of the query. */
    readonly measure: (query: EndpointStatisticsQuery) => Effect.Effect<readonly EndpointStatistics[]>
  }
>()("gatewarden/EndpointStatisticsReader") {}
