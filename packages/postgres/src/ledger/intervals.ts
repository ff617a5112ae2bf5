/** The intervals of budgets in SQL. An unknown interval raises an error: it must not count as one that never resets. */
import { budgetIntervals, intervalUnits } from "@gatewarden/contract"

export const intervalCount = budgetIntervals.length

type Row = (typeof budgetIntervals)[number]

/** A `case` over all intervals; `as` turns the answer of what fails into its type. */
const ofInterval = (
  interval: string,
  of: (row: Row) => string,
  as: (refused: string) => string
): string => `case ${interval}
${budgetIntervals.map((row) => `    when '${row.name}' then ${of(row)}`).join("\n")}
    else ${as(`gatewarden_refuse_interval(${interval})`)}
  end`

export const placeOfInterval = (interval: string): string =>
  ofInterval(
    interval,
    ({ place }) => `${place}`,
    (refused) => refused
  )

const asInstant = (refused: string): string => `to_timestamp(${refused})`

/** The start of the window that holds an instant. */
export const startOfWindow = (interval: string, at: string): string =>
  ofInterval(
    interval,
    ({ unit }) => (unit === null ? "'-infinity'::timestamptz" : `date_trunc('${unit}', ${at}, 'UTC')`),
    asInstant
  )

/**
 * The first day whose sums are kept apart once there are sums of `day`: the start of the window before the one that holds it, of the longest
 * unit. A window that opens late finds all its days.
 */
export const keptFrom = (day: string): string =>
  `least(${intervalUnits.map((unit) => `date_trunc('${unit}', date_trunc('${unit}', ${day}::timestamp) - interval '1 day')`).join(", ")})`

/** The end of the window that starts at an instant. Days are reckoned in UTC whatever the session's time zone. */
export const endOfWindow = (interval: string, start: string): string =>
  ofInterval(
    interval,
    ({ unit, days }) =>
      unit === null
        ? "'infinity'::timestamptz"
        : `date_trunc('${unit}', ((${start} at time zone 'UTC') + interval '${days} days') at time zone 'UTC', 'UTC')`,
    asInstant
  )
