import type { Quota, QuotaState, QuotaWindow } from "../ports/limits.ts"

const dayMillis = 86_400_000

/** Whether a request counts in the window that ends now. Epoch milliseconds. */
export const isInWindow = (window: QuotaWindow, at: number, now: number): boolean =>
  window.kind === "sliding" ? at > now - window.millis : at >= now - (now % dayMillis)

/** The remainder of a quota after the requests at `times`, oldest first. Epoch milliseconds. */
export const quotaState = ({ limit, window }: Quota, times: readonly number[], now: number): QuotaState => ({
  remaining: limit - times.length,
  resetsAt: window.kind === "sliding" ? (times[0] ?? now) + window.millis : now - (now % dayMillis) + dayMillis
})
