/** ISO 8601 as PostgreSQL reads it: no sign before the year, and no year 0, as the one before the first is the first before Christ. */
export const instantText = (instant: Date): string =>
  instant.toISOString().replace(/^([+-]?\d+)(-\d\d-.+)/, (_, text: string, rest: string) => {
    const year = Number(text)
    return year > 0 ? `${String(year).padStart(4, "0")}${rest}` : `${String(1 - year).padStart(4, "0")}${rest} BC`
  })
