/** Exact request counts, shared by every process on one store. */
import { Context, type Effect } from "effect"

/** One count to check: at most `limit` in the window that ends now. */
export interface Quota {
  /** Names the counter: limit row and entity. */
  readonly bucket: string
  readonly limit: number
  /** Epoch milliseconds from which on requests count: now minus the span (exclusive), or midnight (inclusive). */
  readonly since: number
  /** `sliding` counters forget one request at a time, `fixed` ones all at `resetsAt`. */
  readonly kind: "sliding" | "fixed"
  readonly resetsAt: number
}

export interface QuotaState {
  readonly remaining: number
  /** Epoch milliseconds at which more becomes available: the reset, or when the oldest request leaves the window. */
  readonly resetsAt: number
}

export class RateLimits extends Context.Service<
  RateLimits,
  {
    /** Counts one request against all quotas, or against none when one of them is full. States are in the order of the quotas. */
    readonly consume: (
      quotas: readonly Quota[],
      now: number
    ) => Effect.Effect<{ readonly admitted: boolean; readonly states: readonly QuotaState[] }>
  }
>()("gatewarden/RateLimits") {}
