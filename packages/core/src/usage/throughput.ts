/** A nanosecond: what took less took no time that could be measured. */
const shortestMillis = 1e-6

/** Completion tokens a second; `null` when the time is absent or 0 (Rule: analytics#metrics). */
export const throughputOf = (completion_tokens: number, generation_ms: number | null): number | null =>
  generation_ms === null || generation_ms < shortestMillis ? null : (completion_tokens * 1000) / generation_ms
