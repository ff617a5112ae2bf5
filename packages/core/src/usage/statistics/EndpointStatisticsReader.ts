/** What recorded usage tells of a model's endpoints. */
import type { CatalogEndpoint, EndpointStatistics } from "@gatewarden/contract"
import { Context, type Effect } from "effect"
import type { Variants } from "../../model/resolveModelName.ts"

export interface EndpointStatisticsQuery {
  /**
   * The account whose own model it is: its events count, whoever reported them, and those of no other account. Without one the model
   * is the installation's: events of all accounts count that the operator's side reported (Rule: usage#public-statistics).
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
