/** The intervals of budgets in SQL. An unknown interval raises an error: it must not count as one that never resets. */
import { budgetIntervals, intervalUnits } from "@gatewarden/contract"
import type { SqlFunction } from "./SqlFunction.ts"

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

/** The place of an interval among all of them, from 1. */
export const intervalPlace: SqlFunction = {
  name: "gatewarden_interval_place",
  sql: `
create or replace function gatewarden_interval_place(asked_interval text)
returns int language sql immutable as $body$
  select ${placeOfInterval("asked_interval")}
$body$
`
}

/** The end of the window that starts at an instant, in UTC whatever the session's time zone. */
export const windowEnd: SqlFunction = {
  name: "gatewarden_window_end",
  sql: `
create or replace function gatewarden_window_end(asked_interval text, start timestamptz)
returns timestamptz language sql stable as $body$
  select ${endOfWindow("asked_interval", "start")}
$body$
`
}

/** The start of the window that holds an instant, in UTC whatever the session's time zone. */
export const windowStart: SqlFunction = {
  name: "gatewarden_window_start",
  sql: `
create or replace function gatewarden_window_start(asked_interval text, at timestamptz)
returns timestamptz language sql stable as $body$
  select ${startOfWindow("asked_interval", "at")}
$body$
`
}

/** Epoch milliseconds as text, which JSON keeps exact. */
export const epochs: SqlFunction = {
  name: "gatewarden_epochs",
  sql: `
create or replace function gatewarden_epochs(instants timestamptz[])
returns text[] language sql immutable as $body$
  select array_agg((extract(epoch from i.at) * 1000)::bigint::text order by i.n) from unnest(instants) with ordinality as i (at, n)
$body$
`
}

/** What is asked of an interval that there is not fails. It answers nothing; its type is for those who would need an answer. */
export const refuseInterval: SqlFunction = {
  name: "gatewarden_refuse_interval",
  sql: `
create or replace function gatewarden_refuse_interval(asked_interval text)
returns int language plpgsql immutable as $body$
begin
  raise exception 'there is no interval "%"', asked_interval using errcode = 'invalid_parameter_value';
end
$body$
`
}
