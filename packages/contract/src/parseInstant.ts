/**
 * Parses timestamps and days.
 *
 * Rule: requests#timestamps. ISO 8601: seconds required, up to nine fractional digits, `Z` or an offset of at most 23:59, real dates of
 * the Gregorian calendar, hours 00 to 23, no leap second, and in UTC a year of 0000 to 9999.
 */

const instant =
  /^\d{4}-\d{2}-\d{2}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.(?<fraction>\d{1,9}))?(?:Z|(?<sign>[+-])(?<hours>[01]\d|2[0-3]):(?<minutes>[0-5]\d))$/

const first = Date.parse("0000-01-01T00:00:00.000Z")
const last = Date.parse("9999-12-31T23:59:59.999Z")

/** Epoch milliseconds of a timestamp, truncated; `undefined` if the text is not a timestamp. */
export const parseInstant = (text: string): number | undefined => {
  const match = instant.exec(text)
  if (match === null || !isDay(text.slice(0, 10))) return undefined
  const { fraction = "", sign = "+", hours = "0", minutes = "0" } = match.groups ?? {}
  const local = Date.parse(`${text.slice(0, 19)}.${fraction.padEnd(3, "0").slice(0, 3)}Z`)
  const ahead = (Number(hours) * 60 + Number(minutes)) * 60_000
  const millis = sign === "-" ? local + ahead : local - ahead
  return millis >= first && millis <= last ? millis : undefined
}

/** A `+` that was not encoded arrives in a query as a space. */
export const withPlus = (text: string): string => text.replace(/ (?=\d\d:\d\d$)/, "+")

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
