/**
 * How often a key is used: requests and tokens of any sixty seconds, and requests at a time; exact across the processes of one store.
 *
 * An admission asks here before it holds money, and withdraws when money denies it: a denied request consumes nothing.
 * Rule: access#key-rate-limits. Source: docs/decisions/0003-decisions-and-money.md. A table of our own, off by default.
 */
import type { KeyRateLimits } from "@gatewarden/contract"
import { Context, type Effect } from "effect"

export const rateSpanMillis = 60_000

export interface KeyRateRequest {
  readonly admission_id: string
  readonly key_hash: string
  readonly limits: KeyRateLimits
  /** What the request may use at most; counts until it is known what it did use. */
  readonly tokens: number
  /** How long it counts as running when nobody says that it has ended. */
  readonly hold_seconds: number
}

/** What a key has used, without the request that asks. */
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

export class KeyRates extends Context.Service<
  KeyRates,
  {
    /** Counts the request against every limit, or against none when one of them is full. */
    readonly admit: (account_id: string, request: KeyRateRequest) => Effect.Effect<KeyRateOutcome>
    /** What the key uses now; changes nothing. */
    readonly use: (account_id: string, key_hash: string) => Effect.Effect<KeyRateUse>
    /** It runs for longer, from now. Nothing happens to what has ended, or never was. */
    readonly renew: (account_id: string, admission_id: string, hold_seconds: number) => Effect.Effect<void>
    /** It has ended, and used so many tokens, or as many as it was allowed. Only the first end counts. */
    readonly finish: (account_id: string, admission_id: string, tokens: number | undefined) => Effect.Effect<void>
    /** As if it had never asked. */
    readonly withdraw: (account_id: string, admission_id: string) => Effect.Effect<void>
  }
>()("gatewarden/KeyRates") {}

/** The limits that do not admit a request of so many tokens. */
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
