/**
 * Turns a query into a plan, or into the rules that it violates. Pure.
 *
 * Rule: analytics#time-ranges, analytics#row-limits, analytics#classifiers, analytics#order.
 */
import {
  type AnalyticsFilter,
  type AnalyticsQuery,
  analyticsDimensions,
  analyticsMetrics,
  type DimensionName,
  type Issue,
  maxIssues,
  metricAliases,
  type MetricName,
  type OperatorName,
  type ReasonOf
} from "@gatewarden/contract/internal"
import { type Granularity, bucketCount, clockToleranceMillis, dayMillis } from "../../value/calendar.ts"
import type { AnalyticsPlan, DimensionFilter, Key, MetricFilter, OrderTerm, TagFilter } from "../../ports/analytics.ts"
import { parseDecimal, shiftDecimal } from "../../value/money.ts"
import { metrics } from "./metrics.ts"

export type PlannedQuery =
  | { readonly ok: true; readonly plan: AnalyticsPlan }
  | { readonly ok: false; readonly reason: ReasonOf<400>; readonly issues: readonly Issue[] }

/** Notes a broken rule. */
type Refuse = (path: string, reason: ReasonOf<400>, message: string, code?: string) => void

const defaultDays = 7
const defaultLimit = 1000
const maxLimit = 10_000
const nanoPlaces = 9

/** Largest exponent of a number in a filter. No sum comes near it, and a list may have 100,000 such numbers. */
const farthest = 130

/** `now` in epoch milliseconds. */
export const planQuery = (query: AnalyticsQuery, now: number): PlannedQuery => {
  let reason: ReasonOf<400> | undefined
  const issues: Issue[] = []
  const refuse: Refuse = (path, why, message, code = why) => {
    reason ??= why
    if (issues.length < maxIssues) issues.push({ path, code, message })
  }

  const { start, end } = readRange(query.time_range, now, refuse)
  const granularity = query.granularity ?? null
  const { classifier_id, tagKeys, tagFilters } = readClassifier(query, refuse)
  const keys = [
    ...distinct(query.dimensions ?? []).map((name): Key => ({
      kind: "dimension",
      column: name,
      dimension: name as DimensionName
    })),
    ...tagKeys
  ]

  const measures: MetricName[] = []
  const measureOf = (name: MetricName): number => {
    const index = measures.indexOf(name)
    return index === -1 ? measures.push(name) - 1 : index
  }
  const columns = distinct(query.metrics).flatMap((column) => {
    const name = metricNamed(column)
    return name === undefined ? [] : [{ column, measure: measureOf(name) }]
  })
  refuseTakenColumns(
    [...(granularity === null ? [] : [timeColumn(granularity)]), ...columns.map(({ column }) => column)],
    keys,
    refuse
  )

  const filters: DimensionFilter[] = []
  const having: MetricFilter[] = []
  for (const [path, filter] of filtersOf(query.filters)) {
    const read = readFilter(filter, path, measureOf, refuse)
    if (read === undefined) continue
    if ("measure" in read) having.push(read)
    else filters.push(read)
  }

  const order: OrderTerm[] = []
  if (query.order_by != null) {
    const by = orderedBy(query.order_by.field, granularity, keys, columns, measureOf)
    if (by === undefined)
      refuse(
        "order_by.field",
        "invalid_request",
        "Expected a requested metric or dimension, request_count, or date with a granularity",
        "not_requested"
      )
    else order.push({ by, descending: query.order_by.direction === "desc" })
  }
  if (granularity !== null) order.push({ by: { kind: "time" }, descending: true })
  const first = columns[0]
  if (first !== undefined) order.push({ by: { kind: "measure", index: first.measure }, descending: true })
  for (const index of keys.keys()) order.push({ by: { kind: "key", index }, descending: false })

  const isSeries = granularity !== null && keys.length > 0
  const group_limit = query.group_limit ?? null
  const cuts = isSeries && group_limit !== null && group_limit < bucketCount(granularity, start, end)
  if (reason !== undefined) return { ok: false, reason, issues }
  return {
    ok: true,
    plan: {
      start,
      end,
      granularity,
      keys,
      measures,
      columns,
      classifier_id,
      tagFilters,
      filters,
      having,
      order,
      // The default is the number of buckets, and no combination has more rows.
      group_limit: cuts ? group_limit : null,
      // Groups × buckets is never less than the number of rows, so the maximum can be used instead.
      limit: query.limit ?? (isSeries ? maxLimit : defaultLimit)
    }
  }
}

/** The name of the column that shows the start of a bucket. */
export const timeColumn = (granularity: Granularity): string => `date__${granularity}`

const distinct = (names: readonly string[]): readonly string[] => [...new Set(names)]

const readRange = (
  range: AnalyticsQuery["time_range"],
  now: number,
  refuse: Refuse
): { readonly start: number; readonly end: number } => {
  // The end is now by the most advanced trusted clock, so that events that were just recorded are included.
  if (range == null) return { start: now - defaultDays * dayMillis, end: now + clockToleranceMillis }
  const start = Date.parse(range.start)
  const end = Date.parse(range.end)
  if (!(start < end)) refuse("time_range.end", "invalid_time_range", "Expected an end after the start")
  return { start, end }
}

const metricNamed = (name: string): MetricName | undefined =>
  Object.hasOwn(metricAliases, name)
    ? metricAliases[name as keyof typeof metricAliases]
    : analyticsMetrics.find((metric) => metric.name === name)?.name

const dimensionNamed = (name: string): DimensionName | undefined =>
  analyticsDimensions.find((dimension) => dimension.name === name)?.name

/** Tags have arbitrary names, and a row may have each name only once. */
const refuseTakenColumns = (taken: readonly string[], keys: readonly Key[], refuse: Refuse): void => {
  const seen = new Set(taken)
  for (const { column } of keys) {
    if (seen.has(column))
      refuse(
        "classifier_dimensions",
        "invalid_request",
        "A dimension of the classifier has the name of another column; leave dimension_names out",
        "column_taken"
      )
    seen.add(column)
  }
}

const listOf = <T extends object>(sent: T | readonly T[] | null | undefined): readonly T[] =>
  sent == null ? [] : Array.isArray(sent) ? (sent as readonly T[]) : [sent as T]

const readClassifier = (query: AnalyticsQuery, refuse: Refuse) => {
  const dimensions = listOf(query.classifier_dimensions)
  const filters = listOf(query.classifier_filters)
  const ids = distinct([...dimensions, ...filters].map((item) => item.classifier_id))
  if (ids.length > 1)
    refuse(
      dimensions.length === 0 ? "classifier_filters" : "classifier_dimensions",
      "filter_combination",
      "Expected one classifier_id throughout",
      "classifier_id_differs"
    )
  return {
    classifier_id: ids[0] ?? null,
    tagKeys: readTagKeys(dimensions, refuse),
    tagFilters: readTagFilters(query, refuse)
  }
}

const maxTagKeys = 2

const readTagKeys = (
  dimensions: readonly {
    readonly dimension_names?: readonly string[] | null | undefined
    readonly include_nulls?: boolean | null | undefined
  }[],
  refuse: Refuse
): readonly Key[] => {
  if (dimensions.length === 0) return []
  const unnamed = dimensions.filter(({ dimension_names }) => (dimension_names ?? []).length === 0)
  if (unnamed.length > 0) {
    if (unnamed.length < dimensions.length)
      refuse(
        "classifier_dimensions",
        "filter_combination",
        "Expected dimension_names everywhere or nowhere",
        "mixed_names"
      )
    const include_nulls = unnamed.some((item) => item.include_nulls === true)
    return [
      { kind: "tag_name", column: "clf_dimension_name", include_nulls },
      { kind: "tag_value", column: "clf_dimension_value", include_nulls }
    ]
  }
  const names = distinct(dimensions.flatMap(({ dimension_names }) => dimension_names ?? []))
  if (names.length > maxTagKeys)
    refuse("classifier_dimensions", "invalid_request", `Expected at most ${maxTagKeys} names`, "too_big")
  return names.map((tag) => ({
    kind: "tag",
    column: tag,
    tag,
    include_nulls: dimensions.some((item) => item.include_nulls === true && item.dimension_names?.includes(tag))
  }))
}

const readTagFilters = (query: AnalyticsQuery, refuse: Refuse): readonly TagFilter[] => {
  const sent = query.classifier_filters
  return listOf(sent).flatMap(({ filters }, position) =>
    filters.flatMap((filter, index): readonly TagFilter[] => {
      const path = `classifier_filters.${Array.isArray(sent) ? `${position}.` : ""}filters.${index}.value`
      const values = valuesOf(filter.operator, filter.value, path, refuse)
      return values === undefined ? [] : [{ tag: filter.field, operator: filter.operator, values: values.map(String) }]
    })
  )
}

/** Each filter with its path in the body; the object form means equality. */
const filtersOf = (sent: AnalyticsQuery["filters"]): readonly (readonly [path: string, filter: AnalyticsFilter])[] => {
  if (sent == null) return []
  if (Array.isArray(sent))
    return (sent as readonly AnalyticsFilter[]).map((filter, index) => [`filters.${index}`, filter])
  return Object.entries(sent as Readonly<Record<string, string | number>>).map(([field, value]) => [
    "filters",
    { field, operator: "eq", value }
  ])
}

/** The values of a filter: a list for `in` and `not_in`, a single one for the others. */
const valuesOf = (
  operator: OperatorName,
  value: AnalyticsFilter["value"],
  path: string,
  refuse: Refuse
): readonly (string | number)[] | undefined => {
  if (Array.isArray(value) === (operator === "in" || operator === "not_in"))
    return Array.isArray(value) ? (value as readonly (string | number)[]) : [value as string | number]
  refuse(
    path,
    "invalid_request",
    Array.isArray(value) ? "Expected one value; lists go with in and not_in" : "Expected a list of values",
    Array.isArray(value) ? "expected_scalar" : "expected_list"
  )
  return undefined
}

/** Of a filter on a metric: each is compared as an exact decimal. */
const mostNumbers = 1_000

/** Dimensions whose values mean the same in either case. */
const uuids: ReadonlySet<DimensionName> = new Set(["workspace", "guardrail"])

const readFilter = (
  { field, operator, value, include_unset }: AnalyticsFilter,
  path: string,
  measureOf: (name: MetricName) => number,
  refuse: Refuse
): DimensionFilter | MetricFilter | undefined => {
  const dimension = dimensionNamed(field)
  const metric = dimension === undefined ? metricNamed(field) : undefined
  if (dimension === undefined && metric === undefined) {
    refuse(path === "filters" ? path : `${path}.field`, "unknown_dimension", "No dimension or metric has this name")
    return undefined
  }
  if (include_unset === true && (dimension === undefined || (operator !== "in" && operator !== "not_in")))
    refuse(
      `${path}.include_unset`,
      "filter_combination",
      "Expected in or not_in on a dimension with include_unset",
      "include_unset"
    )
  const valuePath = path === "filters" ? path : `${path}.value`
  const sent = valuesOf(operator, value, valuePath, refuse)
  if (sent === undefined) return undefined
  if (dimension !== undefined) {
    const values = sent.map((item) => (uuids.has(dimension) ? String(item).toLowerCase() : String(item)))
    return { dimension, operator, values, include_unset: include_unset === true }
  }
  if (metric === undefined) return undefined
  if (sent.length > mostNumbers) {
    refuse(valuePath, "invalid_request", `Expected at most ${mostNumbers} numbers`, "too_big")
    return undefined
  }
  const values = sent.flatMap((item) => {
    const decimal = parseDecimal(item, farthest)
    if (decimal === undefined) return []
    const exact = metrics[metric].unit === "nanos" ? shiftDecimal(decimal, nanoPlaces) : decimal
    return [{ exact, number: Number(item) }]
  })
  if (values.length < sent.length) {
    refuse(valuePath, "invalid_request", "Expected a number", "expected_number")
    return undefined
  }
  return { measure: measureOf(metric), operator, values }
}

const orderedBy = (
  field: string,
  granularity: Granularity | null,
  keys: readonly Key[],
  columns: AnalyticsPlan["columns"],
  measureOf: (name: MetricName) => number
): OrderTerm["by"] | undefined => {
  if (granularity !== null && (field === "date" || field === timeColumn(granularity))) return { kind: "time" }
  const key = keys.findIndex(({ column }) => column === field)
  if (key !== -1) return { kind: "key", index: key }
  const metric = metricNamed(field)
  if (metric === undefined) return undefined
  const index = measureOf(metric)
  return metric === "request_count" || columns.some(({ measure }) => measure === index)
    ? { kind: "measure", index }
    : undefined
}
