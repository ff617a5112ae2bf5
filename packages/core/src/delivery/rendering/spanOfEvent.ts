/**
 * When a request began and ended.
 *
 * Rule: usage#times. A request begins at `created_at` and ends `latency_ms` and `generation_ms` later. No span lies in the future: if the end is
 * after the event was recorded, the clock of the reporter was ahead. The span then moves back, by at most the clock tolerance, and what
 * is still after the recording is cut off.
 */
import type { UsageEvent } from "../../ports/usage.ts"
import { clockToleranceMillis } from "../../value/clockTolerance.ts"

export interface EventSpan {
  /** Whole milliseconds since 1970; negative before. */
  readonly start: number
  readonly durationMillis: number
}

export const spanOfEvent = ({
  created_at,
  recorded_at,
  latency_ms,
  generation_ms
}: Pick<UsageEvent, "created_at" | "recorded_at" | "latency_ms" | "generation_ms">): EventSpan => {
  const reported = Date.parse(created_at)
  const recorded = Date.parse(recorded_at)
  const taken = Math.round(((latency_ms ?? 0) + (generation_ms ?? 0)) * 1000) / 1000
  const ahead = Math.min(clockToleranceMillis, Math.max(0, Math.ceil(reported + taken - recorded)))
  const start = Math.min(reported - ahead, recorded)
  return { start, durationMillis: Math.min(taken, recorded - start) }
}
