/**
 * Parses timestamps and days.
 *
 * Rule: requests#timestamps. ISO 8601 in UTC: seconds and an
 * upper-case `Z` required, up to nine fractional digits, real dates of the Gregorian calendar, hours 00 to 23, no leap second.
 */

const instant = /^\d{4}-\d{2}-\d{2}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.(?<fraction>\d{1,9}))?Z$/

/** Epoch milliseconds of a timestamp, truncated; `undefined` if the text is not a timestamp. */
export const parseInstant = (text: string): number | undefined => {
  const match = instant.exec(text)
  if (match === null || !isDay(text.slice(0, 10))) return undefined
  const millis = (match.groups?.["fraction"] ?? "").padEnd(3, "0").slice(0, 3)
  return Date.parse(`${text.slice(0, 19)}.${millis}Z`)
}

/** Whether a text is a day that exists, `YYYY-MM-DD`. */
export const isDay = (text: string): boolean => {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  if (match === null) return false
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number]
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month)
}

const daysIn = (year: number, month: number): number => {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}
