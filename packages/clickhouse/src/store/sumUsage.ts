/**
 * Makes the sums of days from their events, which a query then reads instead.
 *
 * A view that sums what is inserted would count an event as often as it was sent. Days are summed from what `FINAL` leaves of them, under
 * a version of their own, and published by one row. It says how many marks the day had before it was read: what is sent later marks the
 * day, and its sums are read no more until they are made again. Two who sum the same day at once do no harm.
 */
import { dayMillis } from "@gatewarden/core/internal"
import { Effect } from "effect"
import { bucketOf } from "../adapters/buckets.ts"
import { Parameters } from "../connection/Parameters.ts"
import type { Clickhouse } from "../connection/openClickhouse.ts"
import { type CellSet, cellColumns, cellDimensions, cellSets, cellSpreads, sumColumns } from "../schema/cellColumns.ts"
import { type SchemaOptions, cellTable, dayTable, eventTable, rowsOf } from "../schema/statements.ts"

export interface SumOptions extends SchemaOptions {
  /** Whether cells are worth keeping beside the events that they sum. */
  readonly isUseful?: ((cells: number, events: number) => boolean) | undefined
}

/** Reading them is to be five times as little, of what is not little anyway. The rule of PostgreSQL (`is_useful_set`). */
const savesEnough = (cells: number, events: number): boolean => events >= 200 && cells * 5 <= events

/** Days of accounts of one statement. */
const daysAtOnce = 50

/** Events of one statement, or those of one day. */
const eventsAtOnce = 3_000_000

/** A day that was marked a moment ago waits for more. */
const settledMillis = 60_000

interface DueDay {
  readonly account_id: string
  readonly day: number
  readonly marked: string
  /** What was published before; 0: nothing. */
  readonly before: string
}

interface CountedDay extends DueDay {
  readonly events: number
  readonly version: string
  readonly sets: readonly number[]
}

const dueDays = ({ rows }: Clickhouse, condition: string, bound: Readonly<Record<string, unknown>>) =>
  Effect.map(
    rows(
      `SELECT account_id, day, toString(marks), toString(latest.1) FROM (
        SELECT account_id, day, sum(marked) AS marks, max(marked_at) AS last_mark, max(summed) AS latest, max(is_dropped) AS dropped
        FROM ${dayTable} GROUP BY account_id, day
      ) WHERE dropped = 0 AND marks > 0 AND ${condition} ORDER BY day DESC, account_id LIMIT ${daysAtOnce}`,
      bound
    ),
    (found) =>
      found.map(([account_id, day, marked, before]): DueDay => ({
        account_id: String(account_id),
        day: Number(day),
        marked: String(marked),
        before: String(before)
      }))
  )

const dayOfEvent = bucketOf("day", "e.created_at")

/** Events of days of accounts. Parameters are part of an address, which is to be short: so an account is one, and integers are text. */
class DaysOfAccounts {
  private readonly parameters = new Parameters()
  private readonly places = new Map<string, string>()
  readonly bound = this.parameters.bound

  private readonly place = (account_id: string): string => {
    const known = this.places.get(account_id) ?? this.parameters.text(account_id)
    this.places.set(account_id, known)
    return known
  }

  readonly within = (days: readonly DueDay[]): string =>
    days
      .map(
        ({ account_id, day }) =>
          `(e.account_id = ${this.place(account_id)} AND e.created_at >= ${day} AND e.created_at < ${day + dayMillis})`
      )
      .join(" OR ")

  readonly versionOf = (days: readonly CountedDay[], day: string): string =>
    `multiIf(${days
      .map((one) => `e.account_id = ${this.place(one.account_id)} AND ${day} = ${one.day}, toUInt64(${one.version})`)
      .join(", ")}, toUInt64(0))`
}

const bucketOfSet = ({ isByHour }: CellSet): string => bucketOf(isByHour ? "hour" : "day", "e.created_at")

const cellsOf = (set: CellSet): string =>
  `uniq(tuple(e.workspace_id, ${[bucketOfSet(set), ...set.fields.map((field) => `ifNull(e.${field}, '')`)].join(", ")}))`

/** How many events each day has, and which sets it is summed by: as many days as one statement sums. */
const countDays = Effect.fnUntraced(function* (
  { rows }: Clickhouse,
  days: readonly DueDay[],
  isWhole: boolean,
  isUseful: NonNullable<SumOptions["isUseful"]>
) {
  const of = new DaysOfAccounts()
  const found = yield* rows(
    `SELECT e.account_id, ${dayOfEvent} AS day, count(), ${cellSets.map(cellsOf).join(", ")} FROM ${eventTable} AS e FINAL
    WHERE ${of.within(days)} GROUP BY e.account_id, day`,
    of.bound
  )
  const [first] = yield* rows("SELECT toString(toUnixTimestamp64Micro(now64(6)) * 1000 + rand() % 1000)")
  const version = BigInt(String(first?.[0]))
  const counted = new Map(found.map((row) => [`${String(row[0])} ${String(row[1])}`, row.slice(2).map(Number)]))
  const taken: CountedDay[] = []
  let sum = 0
  for (const [index, due] of days.entries()) {
    const [events = 0, ...cells] = counted.get(`${due.account_id} ${due.day}`) ?? []
    if (taken.length > 0 && sum + events > eventsAtOnce) break
    sum += events
    const sets = cellSets.flatMap((set, place) =>
      events > 0 && ((isWhole && !set.isByHour) || isUseful(cells[place] ?? 0, events)) ? [set.number] : []
    )
    taken.push({ ...due, events, version: `${version + BigInt(index) * 1_000n}`, sets })
  }
  return taken
})

const names = cellColumns.map(({ name }) => name).join(", ")

const sumsOf = (set: CellSet, days: readonly CountedDay[], of: DaysOfAccounts): string => {
  const day = `(${dayOfEvent})`
  const has = (name: string): boolean => set.fields.some((field) => field === name)
  const values = [
    ...cellDimensions.map((name) => `${has(name) ? `e.${name}` : "NULL"}::LowCardinality(Nullable(String))`),
    ...sumColumns.map(({ ofEvents }) => ofEvents),
    ...cellSpreads.map(({ ofEvents, none }) => (set.hasSpreads ? ofEvents : none))
  ]
  return `SELECT e.account_id AS account, ${set.number} AS number, ${day} AS day, ${bucketOfSet(set)} AS bucket,
  ${of.versionOf(days, day)} AS made, e.workspace_id AS workspace,
  ${values.map((value, index) => `${value} AS v${index}`).join(",\n  ")}
FROM ${eventTable} AS e FINAL WHERE ${of.within(days)}
GROUP BY ${["e.account_id", "day", "bucket", "e.workspace_id", ...set.fields.map((field) => `e.${field}`)].join(", ")}`
}

const insertCells = ({ run }: Clickhouse, days: readonly CountedDay[]): Effect.Effect<void> => {
  const of = new DaysOfAccounts()
  const parts = cellSets.flatMap((set) => {
    const having = days.filter(({ sets }) => sets.includes(set.number))
    return having.length === 0 ? [] : [sumsOf(set, having, of)]
  })
  return parts.length === 0
    ? Effect.void
    : run(`INSERT INTO ${cellTable} (${names}) ${parts.join("\nUNION ALL\n")}`, of.bound)
}

/** Who began to read what was published before has a minute to end: the next version comes no sooner. */
const deleteOlder = ({ run }: Clickhouse, days: readonly CountedDay[], options: SchemaOptions) =>
  Effect.forEach(
    days.filter(({ before }) => before !== "0"),
    ({ account_id, day, before }) => {
      const { bound, put, text } = new Parameters()
      return run(
        `DELETE FROM ${rowsOf(cellTable, options)}
        WHERE account_id = ${text(account_id)} AND day = ${put("Int64", day)} AND version < ${put("UInt64", before)}`,
        bound
      )
    },
    { discard: true }
  )

const sumDays = Effect.fnUntraced(function* (
  clickhouse: Clickhouse,
  due: readonly DueDay[],
  isWhole: boolean,
  options: SumOptions
) {
  if (due.length === 0) return 0
  const days = yield* countDays(clickhouse, due, isWhole, options.isUseful ?? savesEnough)
  yield* insertCells(clickhouse, days)
  yield* clickhouse.insert(
    dayTable,
    ["account_id", "day", "summed"],
    days.map(({ account_id, day, version, marked, sets }) => [account_id, day, [version, marked, sets, isWhole]])
  )
  yield* deleteOlder(clickhouse, days, options)
  return days.length
})

/** Sums days that are over and have changed since they were summed, some of them; answers how many. */
export const sumUsage = Effect.fnUntraced(function* (clickhouse: Clickhouse, now: number, options: SumOptions) {
  const { bound, put } = new Parameters()
  const today = Math.floor((now - 3_600_000) / dayMillis) * dayMillis
  const due = yield* dueDays(
    clickhouse,
    `marks != latest.2 AND day < ${put("Int64", today)} AND last_mark <= ${put("Int64", now - settledMillis)}`,
    bound
  )
  return yield* sumDays(clickhouse, due, false, options)
})
