/**
 * Sums of usage events that a store keeps by hour and day, and which of them answer a query. Pure.
 *
 * A query is read from the smallest roll-up that has its dimensions and filters: whole days from cells of days, whole hours beside them from cells
 * of hours, and what is left at both ends from events. The answer is the one that all events give. Rule: analytics#sources.
 */
import type { DimensionName, MetricName } from "@gatewarden/contract/internal"
import type { AnalyticsPlan, PlannedDimension } from "../../ports/analytics.ts"
import { dayMillis, hourMillis } from "../../value/calendar.ts"
import { metrics } from "./metrics.ts"

/** Dimensions that a roll-up has together, since one says nearly what the other does, and the bit that names them. */
const groups = {
  64: ["model", "variant"],
  32: ["api_key_id"],
  16: ["user"],
  8: ["provider", "endpoint"],
  4: ["app"],
  2: ["finish_reason"],
  1: ["external_user"]
} as const satisfies Readonly<Record<number, readonly PlannedDimension[]>>

export interface Rollup {
  /** The sum of the bits of its groups. */
  readonly bits: number
  readonly name: string
  readonly dimensions: readonly PlannedDimension[]
  /** Whether percentiles can be read from it. */
  readonly hasSpread: boolean
}

const rollupOf = (bits: number, hasSpread: boolean): Rollup => {
  const dimensions = Object.entries(groups).flatMap(([bit, names]) => ((bits & Number(bit)) === 0 ? [] : [...names]))
  return { bits, name: dimensions.length === 0 ? "total" : dimensions.join("+"), dimensions, hasSpread }
}

/** At most two groups beside workspace and time, each smaller than those behind it. Their cells are counted in docs/scaling.md. */
export const rollups: readonly Rollup[] = [
  rollupOf(0, true),
  rollupOf(8, true),
  rollupOf(64, true),
  ...[2, 4, 32, 72, 16, 96, 80, 1].map((bits) => rollupOf(bits, false))
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
const isInEach = (name: PlannedDimension): boolean => name === "workspace"

/** The dimensions of a plan's keys and filters; undefined if one of its keys is no dimension. */
const dimensionsOf = ({ keys, filters }: AnalyticsPlan): readonly PlannedDimension[] | undefined => {
  const named: (PlannedDimension | DimensionName)[] = filters.map(({ dimension }) => dimension)
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
  const needsSpread = hasPercentile(plan.measures)
  const rollup = rollups.find(
    ({ dimensions, hasSpread }) =>
      (hasSpread || !needsSpread) && named.every((name) => isInEach(name) || dimensions.includes(name))
  )
  if (rollup === undefined) return undefined
  const { start, end } = plan
  const hours = { start: ceil(start, hourMillis), end: floor(end, hourMillis) }
  if (hours.start >= hours.end) return undefined
  const events = nonEmpty({ start, end: hours.start }, { start: hours.end, end })
  const days = { start: ceil(hours.start, dayMillis), end: floor(hours.end, dayMillis) }
  return plan.granularity === "hour" || days.start >= days.end
    ? { rollup, days: [], hours: [hours], events }
    : {
        rollup,
        days: [days],
        hours: nonEmpty({ start: hours.start, end: days.start }, { start: days.end, end: hours.end }),
        events
      }
}

const lengthOf = (ranges: readonly Range[], unit: number): number =>
  ranges.reduce((sum, { start, end }) => sum + (end - start) / unit, 0)

/** What a query was read from, for those who look into it: `model+variant: 29 days, 31 hours, 2 ranges of events`, or `events`. */
export const printSource = (source: RollupSource | undefined): string =>
  source === undefined
    ? "events"
    : `${source.rollup.name}: ${lengthOf(source.days, dayMillis)} days, ${lengthOf(source.hours, hourMillis)} hours, ` +
      `${source.events.length} ranges of events`
