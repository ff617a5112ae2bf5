/**
 * Sums of usage events that a store keeps, and which of them answer a query. Pure.
 *
 * Coarse roll-ups have cells of hours and days. Fine ones have cells of days that are over, of accounts whose cells are few beside their events.
 * A query is read from the smallest roll-up that has its dimensions and filters: whole days from cells of days, whole hours beside them from cells
 * of hours, and the rest from events. The answer is the one that all events give. Rule: analytics#sources.
 */
import type { DimensionName, MetricName } from "@gatewarden/contract/internal"
import type { AnalyticsPlan } from "../../ports/analytics.ts"
import { dayMillis, hourMillis } from "../../value/calendar.ts"
import { metrics } from "./metrics.ts"

/** Dimensions that a roll-up has together, since one says nearly what the other does, and the bit that names them. */
const groups = {
  64: ["model", "variant"],
  32: ["api_key_id"],
  16: ["user"],
  8: ["provider", "endpoint"],
  4: ["app"],
  2: ["status", "finish_reason"],
  1: ["external_user"]
} as const satisfies Readonly<Record<number, readonly DimensionName[]>>

export interface Rollup {
  /** The sum of the bits of its groups. */
  readonly bits: number
  readonly name: string
  readonly dimensions: readonly DimensionName[]
  /** Coarse ones have hours, and what percentiles are read of. */
  readonly isCoarse: boolean
}

const rollupOf = (bits: number, isCoarse: boolean): Rollup => {
  const dimensions = Object.entries(groups)
    .toReversed()
    .flatMap(([bit, names]) => ((bits & Number(bit)) === 0 ? [] : [...names]))
  return { bits, name: dimensions.length === 0 ? "total" : dimensions.join("+"), dimensions, isCoarse }
}

/** At most two groups beside workspace and time. A query takes the first that has what it needs. */
export const rollups: readonly Rollup[] = [
  ...[0, 8, 64].map((bits) => rollupOf(bits, true)),
  ...[2, 4, 32, 72, 16, 1, 96, 80].map((bits) => rollupOf(bits, false))
]

/** Epoch milliseconds; the start is inclusive, the end exclusive. */
export interface Range {
  readonly start: number
  readonly end: number
}

/** What a query is read from. The ranges are those of the plan, divided. */
export interface RollupSource {
  readonly rollup: Rollup
  readonly days: readonly Range[]
  readonly hours: readonly Range[]
  readonly events: readonly Range[]
}

const hasPercentile = (names: readonly MetricName[]): boolean => names.some((name) => "percentile" in metrics[name])

/** Every cell has its workspace. */
const isInEach = (name: DimensionName): boolean => name === "workspace"

/** The dimensions of a plan's keys and filters; undefined if one of its keys is no dimension. */
const dimensionsOf = ({ keys, filters }: AnalyticsPlan): readonly DimensionName[] | undefined => {
  const named: DimensionName[] = filters.map(({ dimension }) => dimension)
  for (const key of keys) {
    if (key.kind !== "dimension") return undefined
    named.push(key.dimension)
  }
  return named
}

const ceil = (millis: number, unit: number): number => Math.ceil(millis / unit) * unit
const floor = (millis: number, unit: number): number => Math.floor(millis / unit) * unit
const nonEmpty = (...ranges: readonly Range[]): readonly Range[] => ranges.filter(({ start, end }) => start < end)

/** The source of a plan; undefined if only events have what it asks for. */
export const sourceOf = (plan: AnalyticsPlan): RollupSource | undefined => {
  if (plan.granularity === "minute" || plan.classifier_id !== null) return undefined
  const named = dimensionsOf(plan)
  if (named === undefined) return undefined
  const needsCoarse = plan.granularity === "hour" || hasPercentile(plan.measures)
  const rollup = rollups.find(
    ({ dimensions, isCoarse }) =>
      (isCoarse || !needsCoarse) && named.every((name) => isInEach(name) || dimensions.includes(name))
  )
  if (rollup === undefined) return undefined
  const unit = rollup.isCoarse ? hourMillis : dayMillis
  const whole = { start: ceil(plan.start, unit), end: floor(plan.end, unit) }
  if (whole.start >= whole.end) return undefined
  const events = nonEmpty({ start: plan.start, end: whole.start }, { start: whole.end, end: plan.end })
  const days = { start: ceil(whole.start, dayMillis), end: floor(whole.end, dayMillis) }
  return plan.granularity === "hour" || days.start >= days.end
    ? { rollup, days: [], hours: [whole], events }
    : {
        rollup,
        days: [days],
        hours: nonEmpty({ start: whole.start, end: days.start }, { start: days.end, end: whole.end }),
        events
      }
}

/** The parts of ranges within days that have something, and the others. Days are starts of days, in order. */
export const divideByDays = (ranges: readonly Range[], days: readonly number[]) => {
  const within: Range[] = []
  const others: Range[] = []
  for (const { start, end } of ranges) {
    let at = start
    for (const day of days) {
      const first = Math.max(day, start)
      const past = Math.min(day + dayMillis, end)
      if (first >= past) continue
      const last = within.at(-1)
      if (last !== undefined && last.end === first && at === first) within[within.length - 1] = { ...last, end: past }
      else within.push({ start: first, end: past })
      if (at < first) others.push({ start: at, end: first })
      at = past
    }
    if (at < end) others.push({ start: at, end })
  }
  return { within, others }
}

const lengthOf = (ranges: readonly Range[], unit: number): number =>
  ranges.reduce((sum, { start, end }) => sum + (end - start) / unit, 0)

/** What a query was read from, for those who look into it: `model+variant: 29 days, 31 hours, 2 ranges of events`, or `events`. */
export const printSource = (source: RollupSource | undefined): string =>
  source === undefined
    ? "events"
    : `${source.rollup.name}: ${lengthOf(source.days, dayMillis)} days, ${lengthOf(source.hours, hourMillis)} hours, ` +
      `${source.events.length} ranges of events`
