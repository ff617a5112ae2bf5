/** When a failed destination is tried again. Rule: observability#retries. */

/** Failures in a row that open the circuit breaker. */
export const failuresUntilOpen = 3

const longestBackOffSeconds = 900
const longestRetryAfterSeconds = 3_600

/** Seconds that a `Retry-After` asks for, given as seconds or as a date; `undefined` where it is neither. */
export const retryAfterSeconds = (header: string | null, now: number): number | undefined => {
  if (header === null) return undefined
  if (/^\d{1,10}$/.test(header.trim())) return Math.min(Number(header), longestRetryAfterSeconds)
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.min(Math.max(0, (at - now) / 1_000), longestRetryAfterSeconds)
}

/** `failures`: in a row, this one included. `jitter`: from 0 to 1, so that destinations that failed together do not come back together. */
export const retryDelaySeconds = (failures: number, retryAfter: number | undefined, jitter: number): number =>
  Math.max(Math.min(2 ** Math.min(failures, 20), longestBackOffSeconds) * (0.75 + jitter / 2), retryAfter ?? 0)
