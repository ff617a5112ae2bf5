/** Exact request counts, shared by every process on one store and computed with the store's clock (`LedgerClock`). */
import { Context, type Effect } from "effect"

/** In any span of so many milliseconds, or from midnight to midnight UTC. */
export type QuotaWindow = { readonly kind: "sliding"; readonly millis: number } | { readonly kind: "utc_day" }

/** One count to check: at most `limit` in the window that ends now. */
export interface Quota {
  /** Names the counter: limit row and entity. */
  readonly bucket: string
  readonly limit: number
  readonly window: QuotaWindow
}

export interface QuotaState {
  readonly remaining: number
  /** Epoch milliseconds at which more becomes available: midnight, or when the oldest request leaves the window. */
  readonly resetsAt: number
}

export interface CountedRequest {
  readonly admitted: boolean
  /** In the order of the quotas. */
  readonly states: readonly QuotaState[]
  /** When it was decided, by the store's clock: epoch milliseconds. */
  readonly now: number
}

export class RequestCounts extends Context.Service<
  RequestCounts,
  {
    /** Counts one request against all quotas, or against none if one of them is used up. */
    readonly consume: (quotas: readonly Quota[]) => Effect.Effect<CountedRequest>
  }
>()("gatewarden/RequestCounts") {}
