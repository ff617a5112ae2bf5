/**
 * How long budgets last: the one table of intervals. Types, schemas, windows in TypeScript and in SQL come from it, so a new interval is one
 * row here. Where its unit is new, `startOfBucket` in core does not compile without a case for it.
 *
 * Rule: money#windows.
 */
import * as z from "zod"

/**
 * From the shortest to the longest. `unit`: of the UTC calendar, at whose beginning a window starts, by the name that `date_trunc` of
 * PostgreSQL has for it; `null` for what never resets. `days`: of the longest window. `place`: from 1 without a gap, the same for ever,
 * because databases keep limits by it; a new interval gets the next one wherever it stands.
 */
export const budgetIntervals = [
  { name: "daily", unit: "day", days: 1, place: 1 },
  { name: "weekly", unit: "week", days: 7, place: 2 },
  { name: "monthly", unit: "month", days: 31, place: 3 },
  { name: "lifetime", unit: null, days: null, place: 4 }
] as const

type Row = (typeof budgetIntervals)[number]
type ResettingRow = Exclude<Row, { readonly unit: null }>

/** The units of the calendar that any interval has. */
export type IntervalUnit = ResettingRow["unit"]

export const intervalUnits: readonly IntervalUnit[] = budgetIntervals.flatMap(({ unit }) => unit ?? [])

/** The days of the longest window of a unit: so long after its start, a window has ended and the next has not. */
export const daysOfUnit = Object.fromEntries(
  budgetIntervals.flatMap(({ unit, days }) => (unit === null ? [] : [[unit, days]]))
) as Readonly<Record<IntervalUnit, number>>

const resets = (row: Row): row is ResettingRow => row.unit !== null

export const ResetInterval = z.enum(budgetIntervals.filter(resets).map(({ name }) => name))
export type ResetInterval = z.output<typeof ResetInterval>

/** How long a budget lasts, from the shortest to the longest; a lifetime never resets. */
export const BudgetInterval = z.enum(budgetIntervals.map(({ name }) => name))
export type BudgetInterval = z.output<typeof BudgetInterval>

const rows = new Map<string, Row>(budgetIntervals.map((row) => [row.name, row]))

/** The row of an interval. Throws for a name that has none, which no type lets through. */
export const rowOfInterval = (interval: BudgetInterval): Row => {
  const row = rows.get(interval)
  if (row === undefined) throw new Error(`There is no interval "${String(interval)}"`)
  return row
}
