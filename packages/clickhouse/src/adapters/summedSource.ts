import {
  type AnalyticsPlan,
  type Range,
  type RollupSource,
  dayMillis,
  divideByDays,
  metrics
} from "@gatewarden/core/internal"
import { Effect } from "effect"
import { Parameters } from "../connection/Parameters.ts"
import type { Clickhouse } from "../connection/openClickhouse.ts"
import { setOf } from "../schema/cellColumns.ts"
import { dayTable } from "../schema/statements.ts"

export interface PublishedDay {
  readonly day: number
  /** No two days of an account have the same. */
  readonly version: bigint
}

/** The part of a source that published sums have, and the events beside it. */
export interface SummedSource extends RollupSource {
  readonly published: readonly PublishedDay[]
}

/** Where sums and events alternate so often, the events are read. */
const mostRanges = 200

/**
 * What is read of a roll-up; undefined if all is read of events. A day is published if nothing was marked since its sums were begun, or if
 * its events were dropped. The sums that are published before them stay for a minute at least, for whoever reads meanwhile.
 */
export const summedSource = Effect.fnUntraced(function* (
  { rows }: Pick<Clickhouse, "rows">,
  account_id: string,
  plan: AnalyticsPlan,
  { rollup, days, hours, events }: RollupSource
): Effect.fn.Return<SummedSource | undefined> {
  const { bound, put, text } = new Parameters()
  const [byDay, byHour] = [setOf(rollup.bits, false), setOf(rollup.bits, true)]
  const found = yield* rows(
    `SELECT day, toString(latest.1), has(latest.3, ${byDay}), has(latest.3, ${byHour}) FROM (
      SELECT day, sum(marked) AS marks, max(is_dropped) AS dropped, max(summed) AS latest FROM ${dayTable}
      WHERE account_id = ${text(account_id)} AND day > ${put("Int64", plan.start - dayMillis)} AND day < ${put("Int64", plan.end)}
      GROUP BY day
    ) WHERE (latest.2 = marks OR dropped = 1) AND hasAny(latest.3, [${byDay}, ${byHour}]) ORDER BY day`,
    bound
  )
  if (found.length === 0) return undefined
  const of = (column: 2 | 3) => found.filter((row) => Number(row[column]) === 1).map(([day]) => Number(day))
  const whole = divideByDays(days, of(2))
  // Hours have nothing that percentiles are read of.
  const parts = divideByDays(hours, plan.measures.some((name) => "percentile" in metrics[name]) ? [] : of(3))
  const source: SummedSource = {
    rollup,
    days: whole.within,
    hours: parts.within,
    events: merged([...events, ...whole.others, ...parts.others]),
    published: found.map(([day, version]) => ({ day: Number(day), version: BigInt(String(version)) }))
  }
  const count = source.days.length + source.hours.length
  return count === 0 || count + source.events.length > mostRanges ? undefined : source
})

/** Ranges in order, those that touch as one. */
const merged = (ranges: readonly Range[]): readonly Range[] => {
  const all: Range[] = []
  for (const { start, end } of ranges.toSorted((one, other) => one.start - other.start)) {
    const last = all.at(-1)
    if (last !== undefined && last.end === start) all[all.length - 1] = { start: last.start, end }
    else all.push({ start, end })
  }
  return all
}
