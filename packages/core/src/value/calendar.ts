/**
 * Buckets of time, in UTC: where one starts, how many a range touches, how one is written.
 *
 * Rule: analytics#time-ranges. Weeks are ISO weeks and start on Monday. Instants are epoch milliseconds, before 1970 too.
 */
import type { IntervalUnit } from "@gatewarden/contract/internal"
import { Clock, Effect } from "effect"

export type Granularity = "minute" | "hour" | "day" | "week" | "month"

const minute = 60_000
export const hourMillis = 60 * minute
/** A day of UTC has no leap second in epoch milliseconds. */
export const dayMillis = 24 * hourMillis
const week = 7 * dayMillis

/** 1970-01-05, the first Monday of the epoch. */
const firstMonday = 4 * dayMillis

/** Start of the bucket, or of the window of a budget, that holds an instant. A unit without a case does not compile. */
export const startOfBucket = (granularity: Granularity | IntervalUnit, millis: number): number => {
  switch (granularity) {
    case "minute":
      return Math.floor(millis / minute) * minute
    case "hour":
      return Math.floor(millis / hourMillis) * hourMillis
    case "day":
      return Math.floor(millis / dayMillis) * dayMillis
    case "week":
      return Math.floor((millis - firstMonday) / week) * week + firstMonday
    case "month": {
      const date = new Date(Math.floor(millis / dayMillis) * dayMillis)
      return date.setUTCDate(1)
    }
  }
}

/** How many buckets a range touches; `start` inclusive, `end` exclusive, 0 when the range is empty. */
export const bucketCount = (granularity: Granularity, start: number, end: number): number =>
  start < end ? bucketIndex(granularity, end - 1) - bucketIndex(granularity, start) + 1 : 0

/** Consecutive buckets have consecutive indices. */
const bucketIndex = (granularity: Granularity, millis: number): number => {
  switch (granularity) {
    case "minute":
      return Math.floor(millis / minute)
    case "hour":
      return Math.floor(millis / hourMillis)
    case "day":
      return Math.floor(millis / dayMillis)
    case "week":
      return Math.floor((millis - firstMonday) / week)
    case "month": {
      const date = new Date(millis)
      return date.getUTCFullYear() * 12 + date.getUTCMonth()
    }
  }
}

/** The value of the time column: `YYYY-MM-DDTHH:MM:00.000Z`; years outside 0 to 9999 have a sign and six digits (ISO 8601). */
export const formatBucket = (millis: number): string => new Date(startOfBucket("minute", millis)).toISOString()

export const formatInstant = (millis: number): string => new Date(millis).toISOString()

/** The current instant as the contract prints it: ISO 8601, UTC, milliseconds, `Z` (Rule: requests#timestamps). */
export const timestamp = Effect.map(Clock.currentTimeMillis, formatInstant)

/** How far the clock of a data plane may be ahead of ours (Rule: usage#clock-tolerance). */
export const clockToleranceMillis = 300_000
