import {
  type AnalyticsAnswer,
  type AnalyticsQuery,
  type AnalyticsRow,
  analyticsDimensions,
  analyticsGranularities,
  analyticsMetrics,
  analyticsOperators
} from "@gatewarden/contract/internal"
import { Clock, Effect } from "effect"
import { type Caller, reachedWorkspaces } from "../../access/Caller.ts"
import type { AnalyticsCell, AnalyticsPlan, DimensionFilter } from "../../ports/analytics.ts"
import { operation } from "../../tracing/operation.ts"
import { formatBucket, formatInstant } from "../../value/calendar.ts"
import { BadRequest, invalid } from "../../value/failure.ts"
import { countAsJson, usdAsJson } from "../../value/money.ts"
import { readInTime } from "./AnalyticsSlots.ts"
import { metrics } from "./metrics.ts"
import { planQuery, timeColumn } from "./planQuery.ts"

/** Keeps a plan to the workspaces that the caller reaches. Rule: access#restricted-keys. */
export const reachedEvents = (caller: Caller): readonly DimensionFilter[] => {
  const values = reachedWorkspaces(caller)
  return values === undefined ? [] : [{ dimension: "workspace", operator: "in", values, include_unset: false }]
}

/** Over the whole account, or the workspaces that the key reaches. `onSource` is told what was read. Rule: analytics#scope. */
export const queryAnalytics = operation("queryAnalytics")(function* (
  caller: Caller,
  query: AnalyticsQuery,
  onSource: (source: string) => void = () => {}
) {
  const began = yield* Clock.currentTimeMillis
  const planned = planQuery(query, began)
  if (!planned.ok) return yield* new BadRequest({ reason: planned.reason, issues: planned.issues })
  const plan = { ...planned.plan, filters: [...planned.plan.filters, ...reachedEvents(caller)] }
  const result = yield* readInTime(caller.account_id, plan)
  if (result === "unknown_classifier")
    return yield* invalid(
      "unknown_classifier",
      query.classifier_dimensions == null ? "classifier_filters" : "classifier_dimensions",
      "No recorded event of this account carries this classifier"
    )
  onSource(result.source ?? "events")
  const data = result.cells.map((cell) => printRow(plan, cell))
  const query_time_ms = (yield* Clock.currentTimeMillis) - began
  return {
    data,
    metadata: {
      query_time_ms,
      row_count: data.length,
      truncated: result.truncated,
      // A caller that named no range needs the range that the sums cover.
      ...(query.time_range == null ? { time_range: rangeOf(plan) } : {})
    }
  } satisfies AnalyticsAnswer
})

const rangeOf = ({ start, end }: AnalyticsPlan) => ({ start: formatInstant(start), end: formatInstant(end) })

/** A row under the names of its columns. `Object.fromEntries`, because a tag may be called `__proto__`. */
const printRow = (plan: AnalyticsPlan, { time, keys, measures }: AnalyticsCell): AnalyticsRow =>
  Object.fromEntries([
    ...(plan.granularity === null || time === null
      ? []
      : [[timeColumn(plan.granularity), formatBucket(time)] as const]),
    ...plan.keys.map(({ column }, index) => [column, keys[index] ?? null] as const),
    ...plan.columns.map(
      ({ column, measure }) => [column, printMeasure(plan.measures[measure], measures[measure] ?? null)] as const
    )
  ])

const printMeasure = (
  name: AnalyticsPlan["measures"][number] | undefined,
  value: bigint | number | null
): string | number | null => {
  if (typeof value !== "bigint") return value
  return name !== undefined && metrics[name].unit === "nanos" ? usdAsJson(value) : countAsJson(value)
}

/** The metrics and dimensions that a query may use. Rule: analytics#metrics, analytics#dimensions. */
export const getAnalyticsMeta = () =>
  Effect.succeed({
    metrics: [...analyticsMetrics],
    dimensions: [...analyticsDimensions],
    operators: [...analyticsOperators],
    granularities: [...analyticsGranularities]
  })
