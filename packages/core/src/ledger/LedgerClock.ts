/**
 * The clock of windows, holds and rate limits: the database's, so that all processes agree, or that of the Clock service, which tests set.
 */
import { type BudgetInterval, type IntervalUnit, daysOfUnit, rowOfInterval } from "@gatewarden/contract/internal"
import { Context } from "effect"
import { dayMillis, startOfBucket } from "../value/calendar.ts"

export const LedgerClock = Context.Reference<"database" | "service">("gatewarden/LedgerClock", {
  defaultValue: () => "database" as const
})

/**
 * The window of a budget that holds an instant: windows are functions of the clock, and nothing ever resets them.
 *
 * Rule: money#windows: UTC days, ISO weeks from Monday, months from the first, or never.
 *
 * Epoch milliseconds of the window's start, `null` for a lifetime.
 */
export const windowStart = (interval: BudgetInterval, now: number): number | null => {
  const { unit } = rowOfInterval(interval)
  return unit === null ? null : startOfBucket(unit, now)
}

/** The UTC days of the window of an instant, as `YYYY-MM-DD`: `first` is its first one, `end` the first one after it. */
export const windowDays = (
  granularity: IntervalUnit,
  now: number
): { readonly first: string; readonly end: string } => {
  const start = startOfBucket(granularity, now)
  const dayOf = (millis: number): string => new Date(millis).toISOString().slice(0, 10)
  return { first: dayOf(start), end: dayOf(startOfBucket(granularity, start + daysOfUnit[granularity] * dayMillis)) }
}
