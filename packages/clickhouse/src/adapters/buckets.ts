/** Starts of buckets as integers, in epoch milliseconds: exact for every year that an event may have. */
import { type Granularity, dayMillis } from "@gatewarden/core/internal"

/** Types of time have the years 1900 to 2299. After 400 years the calendar begins again. */
const firstOfCalendar = Date.UTC(1900, 0, 1)
const calendarMillis = 146_097 * dayMillis
const firstMonday = 4 * dayMillis

/** The divisor is signed, too: by one that is not, a negative number is divided as if it were a huge one. */
const modulo = (at: string, length: number): string => `positiveModulo(${at}, toInt64(${length}))`

const within = (length: number, at: string): string => `${at} - ${modulo(at, length)}`

const dayOfMonth = (at: string): string =>
  `toDayOfMonth(fromUnixTimestamp64Milli(${firstOfCalendar} + ${modulo(`${at} - (${firstOfCalendar})`, calendarMillis)}, 'UTC'))`

const buckets: Readonly<Record<Granularity, (at: string) => string>> = {
  minute: (at) => within(60_000, at),
  hour: (at) => within(3_600_000, at),
  day: (at) => within(dayMillis, at),
  week: (at) => `${at} - ${modulo(`${at} - ${firstMonday}`, 7 * dayMillis)}`,
  month: (at) => `${within(dayMillis, at)} - (${dayOfMonth(at)} - 1) * ${dayMillis}`
}

/** `at`: an expression of epoch milliseconds. */
export const bucketOf = (granularity: Granularity, at: string): string => buckets[granularity](at)
