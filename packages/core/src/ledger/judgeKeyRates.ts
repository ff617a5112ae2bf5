/** The rate limits of a key that a request would exceed, each with the limit that would suffice; `null`: only removing it would. */
import { errorMessages, type KeyRateLimits, largestRate } from "@gatewarden/contract"
import type { Objection } from "../value/Objection.ts"
import { type Refusal, refusalWith } from "../value/Refusal.ts"
import { exceededRates, type KeyRateUse } from "../ports/ledger.ts"

/** Names the limits that are used up, and when to retry: a running request may end at any moment. */
export const tooManyRequests = (exceeded: readonly Objection[], use: KeyRateUse, now: number): Refusal => {
  const waits = exceeded.every(({ reason }) => reason.field === "parallel_requests") || use.resets_at === null
  return refusalWith(429, "key_rate_limited", errorMessages[429], {
    rate_limits: exceeded.map(({ reason: { field, value } }) => ({ field, limit: value })),
    retry_after_seconds: waits ? 1 : Math.max(1, Math.ceil(((use.resets_at ?? now) - now) / 1000))
  })
}

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
