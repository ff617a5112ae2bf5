/**
 * Rate limits of keys: requests and tokens in any sixty seconds, and parallel requests; exact across the processes of one store.
 *
 * An admission is counted here before money is held, and withdrawn if a budget denies it: a denied request consumes nothing.
 * Rule: access#key-rate-limits. Source: docs/decisions/0003-decisions-and-money.md. Not in the public API; no limit is set by default.
 */
import type { KeyRateLimits } from "@gatewarden/contract"
import { Context, type Effect } from "effect"

export const rateSpanMillis = 60_000

export interface KeyRateRequest {
  readonly admission_id: string
  readonly key_hash: string
  readonly limits: KeyRateLimits
  /** The maximum tokens of the request; they count until the actual number is known. */
  readonly tokens: number
  /** How long it counts as running when nobody says that it has ended. */
  readonly hold_seconds: number
}

/** The usage of a key, without the present request. */
export interface KeyRateUse {
  readonly requests: number
  readonly tokens: number
  readonly parallel: number
  /** Epoch milliseconds at which the oldest request leaves the minute; `null`: there is none. */
  readonly resets_at: number | null
}

export interface KeyRateOutcome {
  readonly admitted: boolean
  /** As it was when it was decided. */
  readonly use: KeyRateUse
}

export class KeyRateCounts extends Context.Service<
  KeyRateCounts,
  {
    /** Counts the request against every limit, or against none if one of them is used up. */
    readonly admit: (account_id: string, request: KeyRateRequest) => Effect.Effect<KeyRateOutcome>
    /** The present usage of the key; changes nothing. */
    readonly use: (account_id: string, key_hash: string) => Effect.Effect<KeyRateUse>
    /** Extends a running request, from now. Does nothing for one that has ended or is unknown. */
    readonly renew: (account_id: string, admission_id: string, hold_seconds: number) => Effect.Effect<void>
    /** Ends a request with the tokens that it used, by default the maximum. Only the first end counts. */
    readonly finish: (account_id: string, admission_id: string, tokens: number | undefined) => Effect.Effect<void>
    /** As if it had never asked. */
    readonly withdraw: (account_id: string, admission_id: string) => Effect.Effect<void>
  }
>()("gatewarden/KeyRateCounts") {}

/** The limits that refuse a request of so many tokens. */
export const exceededRates = (
  limits: KeyRateLimits,
  { requests, tokens, parallel }: KeyRateUse,
  asked_tokens: number
): readonly (keyof KeyRateLimits)[] =>
  (
    [
      ["requests_per_minute", requests + 1],
      ["tokens_per_minute", tokens + asked_tokens],
      ["parallel_requests", parallel + 1]
    ] as const
  ).flatMap(([field, used]) => {
    const limit = limits[field]
    return limit !== null && used > limit ? [field] : []
  })
