import type { Quota, QuotaState } from "./RateLimits.ts"

/** What is left of a quota once the requests at `times` count, oldest first. Epoch milliseconds. */
export const quotaState = (quota: Quota, times: readonly number[], now: number): QuotaState => {
  const oldest = times[0]
  const slides = quota.kind === "sliding" && oldest !== undefined
  return {
    remaining: quota.limit - times.length,
    resetsAt: slides ? oldest + (now - quota.since) : quota.resetsAt
  }
}
