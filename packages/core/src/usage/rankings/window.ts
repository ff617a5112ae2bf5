/**
 * The days that a rankings request counts, and the buckets that show them.
 *
 * Rule: rankings#dates. Days are `YYYY-MM-DD` in UTC and compare as text.
 */
import { isDay, type RankingsPeriod } from "@gatewarden/contract/internal"
import { dayMillis, startOfBucket } from "../../value/calendar.ts"

/** The first day of the dataset. */
export const firstRankedDay = "2025-01-01"

/** Nothing was ever recorded: a dataset is empty. */
export const neverChanged = `${firstRankedDay}T00:00:00.000Z`

export interface RankingsWindowRequest {
  readonly start_date?: string | undefined
  readonly end_date?: string | undefined
  readonly period?: RankingsPeriod | undefined
  /** Whether the request asks for a sampled dataset (`category` or `language_type`). */
  readonly sampled: boolean
  /** The current day in UTC. */
  readonly today: string
}

export type RankingsWindow =
  | {
      readonly ok: true
      /** First day, inclusive, as `meta` shows it. */
      readonly start_date: string
      /** Last day, inclusive, as `meta` shows it. */
      readonly end_date: string
      readonly period: RankingsPeriod
    }
  | {
      readonly ok: false
      readonly code: "invalid_date_window" | "period_unavailable"
      readonly path: string
      readonly message: string
    }

/**
 * Resolves defaults first, then clamps: the end defaults to yesterday, the start to 30 days before the end that was asked for;
 * then the start moves forward to the dataset's first day and the end back to yesterday.
 */
export const resolveRankingsWindow = (request: RankingsWindowRequest): RankingsWindow => {
  const { sampled, today } = request
  for (const field of ["start_date", "end_date"] as const) {
    const value = request[field]
    if (value !== undefined && !isDay(value)) return refused(field, "Expected an existing day as YYYY-MM-DD")
  }
  if (request.end_date !== undefined && request.end_date < firstRankedDay)
    return refused("end_date", `Expected ${firstRankedDay} or later`)
  const period = request.period ?? (sampled ? "week" : "day")
  if (sampled && period === "day")
    return {
      ok: false,
      code: "period_unavailable",
      path: "query.period",
      message: "Expected week or month: with category or language_type there are no daily totals"
    }

  const yesterday = addDays(today, -1)
  const askedEnd = request.end_date ?? yesterday
  const askedStart = request.start_date ?? addDays(askedEnd, -30)
  const start_date = askedStart < firstRankedDay ? firstRankedDay : askedStart
  const end_date = askedEnd > yesterday ? yesterday : askedEnd
  if (start_date > end_date) {
    const field = request.start_date === undefined && request.end_date !== undefined ? "end_date" : "start_date"
    return refused(field, `The window from ${start_date} to ${end_date} holds no day`)
  }
  return { ok: true, start_date, end_date, period }
}

/** The `date` under which a day is shown: itself, the Monday of its ISO week, the first of its month. */
export const bucketOf = (period: RankingsPeriod, day: string): string =>
  formatDay(startOfBucket(period, Date.parse(day)))

/** The same for a sampled dataset, which consists of whole weeks: a week belongs to the month of its Monday. */
export const sampledBucketOf = (period: RankingsPeriod, day: string): string => bucketOf(period, bucketOf("week", day))

/**
 * The days whose events count, both inclusive. An exact dataset counts the window. A sampled one counts the whole ISO weeks
 * whose Monday lies between the Monday of the start and the end; the last may reach past the end.
 */
export const countedDays = (
  window: { readonly start_date: string; readonly end_date: string },
  sampled: boolean
): { readonly first: string; readonly last: string } =>
  sampled
    ? { first: bucketOf("week", window.start_date), last: addDays(bucketOf("week", window.end_date), 6) }
    : { first: window.start_date, last: window.end_date }

const formatDay = (millis: number): string => new Date(millis).toISOString().slice(0, 10)

export const addDays = (day: string, days: number): string => formatDay(Date.parse(day) + days * dayMillis)

const refused = (field: "start_date" | "end_date", message: string): RankingsWindow => ({
  ok: false,
  code: "invalid_date_window",
  path: `query.${field}`,
  message
})
