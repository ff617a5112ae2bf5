import type { DimensionName, MetricName, OperatorName } from "@gatewarden/contract/internal"
import { Effect } from "effect"
import {
  type AnalyticsCell,
  type AnalyticsPlan,
  AnalyticsReader,
  type AnalyticsResult,
  type Key,
  type MetricFilter,
  dimensions
} from "../ports/analytics.ts"
import { compareToDecimal } from "../value/money.ts"
import { type EventMeasure, metrics, type Total } from "../usage/analytics/metrics.ts"
import { startOfBucket } from "../value/calendar.ts"
import { compareText } from "../value/text.ts"
import type { UsageEvent } from "../ports/usage.ts"
import type { Tables } from "./tables/Tables.ts"

export const analyticsReader = (tables: Tables) =>
  AnalyticsReader.of({
    read: (account_id, plan) => Effect.sync(() => read([...(tables.usageEvents.get(account_id)?.values() ?? [])], plan))
  })

const read = (events: readonly UsageEvent[], plan: AnalyticsPlan): AnalyticsResult | "unknown_classifier" => {
  const { classifier_id } = plan
  if (
    classifier_id !== null &&
    !events.some(({ classifiers }) => classifiers && Object.hasOwn(classifiers, classifier_id))
  )
    return "unknown_classifier"
  const cells = [...group(events, plan).values()]
    .map(({ time, keys, events }): AnalyticsCell => ({
      time,
      keys,
      measures: plan.measures.map((name) => measure(name, events))
    }))
    .filter(({ measures }) => plan.having.every((filter) => isKept(measures[filter.measure] ?? null, filter)))
    .sort((a, b) => compareCells(a, b, plan))
  const kept = firstOfEach(cells, plan.group_limit)
  return { cells: kept.slice(0, plan.limit), truncated: kept.length < cells.length || kept.length > plan.limit }
}

interface Group {
  readonly time: number | null
  readonly keys: readonly (string | null)[]
  readonly events: UsageEvent[]
}

const group = (events: readonly UsageEvent[], plan: AnalyticsPlan): ReadonlyMap<string, Group> => {
  const groups = new Map<string, Group>()
  const groupOf = (time: number | null, keys: readonly (string | null)[]): Group => {
    const id = JSON.stringify([time, keys])
    const found = groups.get(id) ?? { time, keys, events: [] }
    groups.set(id, found)
    return found
  }
  // Without anything to group by there is one row, of nothing if need be.
  if (plan.granularity === null && plan.keys.length === 0) groupOf(null, [])
  for (const event of events) {
    const at = Date.parse(event.created_at)
    if (at < plan.start || at >= plan.end || !isCounted(event, plan)) continue
    const time = plan.granularity === null ? null : startOfBucket(plan.granularity, at)
    for (const keys of keysOf(event, plan)) groupOf(time, keys).events.push(event)
  }
  return groups
}

/** What an adjustment adds is shown where its request is. */
const fieldOf = (event: UsageEvent, dimension: DimensionName): string | null =>
  dimension === "generation_id" ? (event.adjusts ?? event.id) : event[dimensions[dimension]]

const tagsOf = (event: UsageEvent, classifier_id: string | null): Readonly<Record<string, string>> => {
  const { classifiers } = event
  return classifiers !== null && classifier_id !== null && Object.hasOwn(classifiers, classifier_id)
    ? (classifiers[classifier_id] ?? {})
    : {}
}

const tagOf = (tags: Readonly<Record<string, string>>, name: string): string | null =>
  Object.hasOwn(tags, name) ? (tags[name] ?? null) : null

const isCounted = (event: UsageEvent, plan: AnalyticsPlan): boolean => {
  const tags = tagsOf(event, plan.classifier_id)
  return (
    plan.filters.every(({ dimension, operator, values, include_unset }) => {
      const value = fieldOf(event, dimension)
      return value === null
        ? include_unset
        : passes(
            operator,
            values.map((other) => compareText(value, other))
          )
    }) &&
    plan.tagFilters.every(({ tag, operator, values }) => {
      const value = tagOf(tags, tag)
      return (
        value !== null &&
        passes(
          operator,
          values.map((other) => compareText(value, other))
        )
      )
    })
  )
}

/** Whether an operator holds, given how the value at hand compares to each of the filter's. */
const passes = (operator: OperatorName, orders: readonly number[]): boolean => {
  switch (operator) {
    case "eq":
    case "in":
      return orders.some((order) => order === 0)
    case "neq":
    case "not_in":
      return orders.every((order) => order !== 0)
    case "gt":
      return orders.every((order) => order > 0)
    case "gte":
      return orders.every((order) => order >= 0)
    case "lt":
      return orders.every((order) => order < 0)
    case "lte":
      return orders.every((order) => order <= 0)
  }
}

/** The combinations of keys that an event counts under: one, or one for each of its tags. */
const keysOf = (event: UsageEvent, plan: AnalyticsPlan): readonly (readonly (string | null)[])[] => {
  const tags = tagsOf(event, plan.classifier_id)
  const pairs = plan.keys.find((key) => key.kind === "tag_name")
  if (pairs === undefined) {
    const keys = plan.keys.map((key) => valueOf(event, key, tags, undefined))
    const isLeftOut = plan.keys.some((key, index) => key.kind === "tag" && !key.include_nulls && keys[index] === null)
    return isLeftOut ? [] : [keys]
  }
  const entries: readonly ([string, string] | undefined)[] = Object.entries(tags)
  return (entries.length === 0 && pairs.include_nulls ? [undefined] : entries).map((pair) =>
    plan.keys.map((key) => valueOf(event, key, tags, pair))
  )
}

const valueOf = (
  event: UsageEvent,
  key: Key,
  tags: Readonly<Record<string, string>>,
  pair: readonly [string, string] | undefined
): string | null => {
  switch (key.kind) {
    case "dimension":
      return fieldOf(event, key.dimension)
    case "tag":
      return tagOf(tags, key.tag)
    case "tag_name":
      return pair?.[0] ?? null
    case "tag_value":
      return pair?.[1] ?? null
  }
}

const measure = (name: MetricName, events: readonly UsageEvent[]): bigint | number | null => {
  const metric = metrics[name]
  if ("total" in metric) return total(metric.total, events)
  if ("whole" in metric) {
    const whole = Number(total(metric.whole, events))
    return whole === 0 ? null : Number(total(metric.part, events)) / whole
  }
  const values = measured("mean" in metric ? metric.mean : metric.of, events)
  if (values.length === 0) return null
  if ("mean" in metric) return values.reduce((sum, value) => sum + value, 0) / values.length
  const rank = Math.ceil((values.length * metric.percentile) / 100)
  return values.sort((a, b) => a - b)[rank - 1] ?? null
}

const total = (total: Total, events: readonly UsageEvent[]): bigint | null => {
  if ("count" in total) {
    const { count } = total
    return BigInt(events.filter((event) => (count === "events" ? event.adjusts === null : event[count])).length)
  }
  if ("sum" in total)
    return events.reduce((sum, event) => total.sum.reduce((sum, field) => sum + BigInt(event[field]), sum), 0n)
  const parts = events.flatMap(({ cost_components }) => cost_components[total.component] ?? [])
  return parts.length === 0 ? null : parts.reduce((sum, part) => sum + part, 0n)
}

const measured = (field: EventMeasure, events: readonly UsageEvent[]): number[] =>
  events.flatMap((event) => (event.status === "ok" ? (event[field] ?? []) : []))

const isKept = (value: bigint | number | null, { operator, values }: MetricFilter): boolean =>
  value !== null &&
  passes(
    operator,
    values.map(({ exact, number }) =>
      typeof value === "bigint" ? compareToDecimal(value, exact) : value < number ? -1 : value > number ? 1 : 0
    )
  )

const compareCells = (a: AnalyticsCell, b: AnalyticsCell, plan: AnalyticsPlan): number => {
  for (const { by, descending } of plan.order) {
    const [left, right] =
      by.kind === "time"
        ? [a.time, b.time]
        : by.kind === "key"
          ? [a.keys[by.index] ?? null, b.keys[by.index] ?? null]
          : [a.measures[by.index] ?? null, b.measures[by.index] ?? null]
    if (left === right) continue
    if (left === null) return 1
    if (right === null) return -1
    const order =
      typeof left === "string" && typeof right === "string"
        ? compareText(left, right)
        : left < right
          ? -1
          : left > right
            ? 1
            : 0
    if (order !== 0) return descending ? -order : order
  }
  return 0
}

/** The first cells of each combination of keys. */
const firstOfEach = (cells: readonly AnalyticsCell[], group_limit: number | null): readonly AnalyticsCell[] => {
  if (group_limit === null) return cells
  const counts = new Map<string, number>()
  return cells.filter(({ keys }) => {
    const id = JSON.stringify(keys)
    const count = (counts.get(id) ?? 0) + 1
    counts.set(id, count)
    return count <= group_limit
  })
}
