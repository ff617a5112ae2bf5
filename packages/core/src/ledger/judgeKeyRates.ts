/**
 * Which rate limits of a key refuse a request.
 *
 * Rule: access#key-rate-limits. The in-memory store calls `exceededRates`; the SQL store has it in a statement.
 */
import { type KeyRateLimits, errorMessages, largestRate } from "@gatewarden/contract/internal"
import type { KeyRateUse } from "../ports/ledger.ts"
import { type Objection, type Refusal, refusalWith } from "../value/issues.ts"

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

/** The limits that refuse the request, each with the limit that would suffice; `null`: only removing the limit would. */
export const rateObjections = (limits: KeyRateLimits, use: KeyRateUse, tokens: number): readonly Objection[] => {
  const needed = {
    requests_per_minute: use.requests + 1,
    tokens_per_minute: use.tokens + tokens,
    parallel_requests: use.parallel + 1
  }
  return exceededRates(limits, use, tokens).map((field) => {
    const at = { scope: "rate_limit", guardrail_id: null, field } as const
    const to = needed[field] > largestRate ? null : needed[field]
    return { reason: { ...at, value: limits[field] }, edit: { ...at, from: limits[field], to } }
  })
}

/** Names the limits that are used up, and when to retry: a running request may end at any moment. */
export const tooManyRequests = (exceeded: readonly Objection[], use: KeyRateUse, now: number): Refusal => {
  const waits = exceeded.every(({ reason }) => reason.field === "parallel_requests")
  return refusalWith(429, "key_rate_limited", errorMessages[429], {
    rate_limits: exceeded.map(({ reason: { field, value } }) => ({ field, limit: value })),
    retry_after_seconds: waits ? 1 : Math.max(1, Math.ceil(((use.resets_at ?? now) - now) / 1000))
  })
}
