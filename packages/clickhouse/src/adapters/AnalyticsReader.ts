import type { DimensionName, MetricName, OperatorName } from "@gatewarden/contract/internal"
import {
  type AnalyticsCell,
  type AnalyticsPlan,
  AnalyticsReader,
  type Key,
  type MetricFilter,
  type OrderTerm,
  type Range,
  dimensions,
  metrics,
  printSource,
  sourceOf
} from "@gatewarden/core/internal"
import { Effect } from "effect"
import { Parameters } from "../connection/Parameters.ts"
import type { Clickhouse } from "../connection/openClickhouse.ts"
import { setOf, spreadOf, sumColumns } from "../schema/cellColumns.ts"
import { cellTable, classifierTable, eventTable } from "../schema/statements.ts"
import { bucketOf } from "./buckets.ts"
import { integerBound } from "./integerBound.ts"
import { measureOf, measureOfSums, neededOf } from "./measures.ts"
import { type SummedSource, summedSource } from "./summedSource.ts"

const comparisons: Readonly<Record<Exclude<OperatorName, "in" | "not_in">, string>> = {
  eq: "=",
  neq: "!=",
  gt: ">",
  gte: ">=",
  lt: "<",
  lte: "<="
}

/** What an adjustment adds is shown where its request is. */
const fieldOf = (dimension: DimensionName): string =>
  dimension === "generation_id" ? "ifNull(e.adjusts, e.id)" : `e.${dimensions[dimension]}`

const filledTags = "ifNull(e.classifiers, '{}')"

/** A missing value passes no operator; `not in` of nothing would let it. */
const textPasses = (
  { put, text }: Parameters,
  value: string,
  operator: OperatorName,
  values: readonly string[]
): string => {
  if (operator !== "in" && operator !== "not_in") return `${value} ${comparisons[operator]} ${text(values[0] ?? "")}`
  const isListed = `has(${put("Array(String)", values)}, assumeNotNull(${value}))`
  return `(${value} IS NOT NULL AND ${operator === "in" ? "" : "NOT "}${isListed})`
}

/** An exact sum is compared with whole numbers alone, because no type holds every number that may be sent. */
const rowPasses = (
  { put }: Parameters,
  plan: AnalyticsPlan,
  valueOf: (name: MetricName) => string,
  { measure, operator, values }: MetricFilter
): string => {
  const name = plan.measures[measure] ?? "request_count"
  const value = valueOf(name)
  const one = (operator: keyof typeof comparisons, { exact, number }: MetricFilter["values"][number]): string => {
    if (metrics[name].unit === "number") return `${value} ${comparisons[operator]} ${put("Float64", number)}`
    const bound = integerBound(operator, exact)
    if (typeof bound === "boolean") return `(${value} IS NOT NULL AND ${bound})`
    return `${value} ${comparisons[bound.operator]} ${put("Int128", `${bound.integer}`)}`
  }
  if (operator !== "in" && operator !== "not_in") {
    const [first] = values
    return first === undefined ? "false" : one(operator, first)
  }
  const [each, joined, none] =
    operator === "in" ? (["eq", " OR ", "false"] as const) : (["neq", " AND ", "true"] as const)
  const all = values.map((listed) => one(each, listed)).join(joined)
  return `(${value} IS NOT NULL AND (${all === "" ? none : all}))`
}

const orderOf = ({ by, descending }: OrderTerm): string => {
  const column = by.kind === "time" ? "time" : `${by.kind === "key" ? "k" : "m"}${by.index}`
  return `${column} ${descending ? "DESC" : "ASC"} NULLS LAST`
}

/** What both kinds of statements have in common. */
const partsOf = (parameters: Parameters, account_id: string, plan: AnalyticsPlan) => {
  const { put, text } = parameters
  const tagOf = (name: string): string =>
    `JSONExtract(${filledTags}, ${text(plan.classifier_id ?? "")}, ${text(name)}, 'Nullable(String)')`
  const keyOf = (key: Key): string => {
    switch (key.kind) {
      case "dimension":
        return fieldOf(key.dimension)
      case "tag":
        return tagOf(key.tag)
      case "tag_name":
        return "tag.1"
      case "tag_value":
        return "tag.2"
    }
  }
  const pairs = plan.keys.find((key) => key.kind === "tag_name")
  const unfolded =
    pairs === undefined
      ? ""
      : `${pairs.include_nulls ? "LEFT " : ""}ARRAY JOIN arrayMap(pair -> (toNullable(pair.1), toNullable(pair.2)),
        JSONExtractKeysAndValues(${filledTags}, ${text(plan.classifier_id ?? "")}, 'String')) AS tag`
  return {
    events: `${eventTable} AS e FINAL ${unfolded}`,
    among: (at: string, ranges: readonly Range[]): string =>
      `(${ranges.map(({ start, end }) => `${at} >= ${put("Int64", start)} AND ${at} < ${put("Int64", end)}`).join(" OR ")})`,
    /** On a row of events, or of cells. */
    conditions: [
      `e.account_id = ${text(account_id)}`,
      ...plan.filters.map(({ dimension, operator, values, include_unset }) => {
        const field = fieldOf(dimension)
        const passes = textPasses(parameters, field, operator, values)
        return include_unset ? `(${field} IS NULL OR ${passes})` : passes
      }),
      ...plan.tagFilters.map(({ tag, operator, values }) => textPasses(parameters, tagOf(tag), operator, values)),
      ...plan.keys.flatMap((key) => (key.kind === "tag" && !key.include_nulls ? [`${tagOf(key.tag)} IS NOT NULL`] : []))
    ],
    /** What rows are grouped by, `at` in its bucket. */
    groups: (at: string): readonly string[] => [
      ...(plan.granularity === null ? [] : [`${bucketOf(plan.granularity, at)} AS time`]),
      ...plan.keys.map((key, index) => `${keyOf(key)} AS k${index}`)
    ],
    names: [...(plan.granularity === null ? [] : ["time"]), ...plan.keys.map((_, index) => `k${index}`)]
  }
}

type Parts = ReturnType<typeof partsOf>

const groupBy = (count: number): string =>
  count === 0 ? "" : `GROUP BY ${Array.from({ length: count }, (_, index) => index + 1).join(", ")}`

const measuresOf = (plan: AnalyticsPlan, valueOf: (name: MetricName) => string): readonly string[] =>
  plan.measures.map((name, index) => `${valueOf(name)} AS m${index}`)

/** Rows of all events. */
const cellsOfEvents = ({ events, among, conditions, groups }: Parts, plan: AnalyticsPlan): string => {
  const grouped = groups("e.created_at")
  return [
    `SELECT ${[...grouped, ...measuresOf(plan, measureOf)].join(",\n  ")}`,
    `FROM ${events}`,
    `WHERE ${[...conditions, among("e.created_at", [plan])].join("\n  AND ")}`,
    groupBy(grouped.length)
  ].join("\n")
}

/** Rows of sums, and of the events beside them. */
const cellsOfSums = (
  { events, among, conditions, groups, names }: Parts,
  { put }: Parameters,
  plan: AnalyticsPlan,
  source: SummedSource
): string => {
  const needed = plan.measures.map(neededOf)
  const sums = new Set(needed.flatMap((one) => one.sums))
  const columns = sumColumns.filter(({ name }) => sums.has(name))
  const spreads = [...new Set(needed.flatMap(({ spread }) => spread ?? []))]
  const ofCells = (isByHour: boolean, ranges: readonly Range[]): readonly string[] =>
    ranges.length === 0
      ? []
      : [
          `SELECT ${[
            ...groups("e.bucket"),
            ...columns.map(({ name }) => `e.${name} AS ${name}`),
            ...spreads.flatMap(spreadOf.cell)
          ].join(", ")}
FROM ${cellTable} AS e
WHERE ${conditions.join(" AND ")} AND e.rollup = ${setOf(source.rollup.bits, isByHour)} AND ${among("e.bucket", ranges)}
  AND e.day IN ${put(
    "Array(Int64)",
    source.published.map(({ day }) => day)
  )}
  AND e.version IN ${put(
    "Array(UInt64)",
    source.published.map(({ version }) => version)
  )}`
        ]
  const ofEvents =
    source.events.length === 0
      ? []
      : [
          `SELECT ${[
            ...groups("e.created_at"),
            ...columns.map(({ name, ofEvents }) => `${ofEvents} AS ${name}`),
            ...spreads.flatMap(spreadOf.events)
          ].join(", ")}
FROM ${events}
WHERE ${conditions.join(" AND ")} AND ${among("e.created_at", source.events)}
${groupBy(names.length)}`
        ]
  return `SELECT ${[...names.map((name) => `s.${name} AS ${name}`), ...measuresOf(plan, measureOfSums)].join(",\n  ")}
FROM (
${[...ofCells(false, source.days), ...ofCells(true, source.hours), ...ofEvents].join("\nUNION ALL\n")}
) AS s
${groupBy(names.length)}`
}

/**
 * One statement for a plan, over sums and the events beside them, or over events alone. What is written into it as text comes from the
 * tables of the core; what was sent is a parameter. Columns are named by position: `time`, `k0`, `k1`, …, `m0`, `m1`, …, and `is_cut`, in
 * this order.
 */
export const statementOf = (account_id: string, plan: AnalyticsPlan, source?: SummedSource) => {
  const parameters = new Parameters()
  const { put } = parameters
  const parts = partsOf(parameters, account_id, plan)
  const rows = source === undefined ? cellsOfEvents(parts, plan) : cellsOfSums(parts, parameters, plan, source)
  const valueOf = source === undefined ? measureOf : measureOfSums
  const having = plan.having.map((filter) => rowPasses(parameters, plan, valueOf, filter))
  const cells = having.length === 0 ? rows : `${rows}\nHAVING ${having.join(" AND ")}`

  const names = [...parts.names, ...plan.measures.map((_, index) => `m${index}`)].join(", ")
  const order = plan.order.map(orderOf).join(", ")
  const ordered = order === "" ? "" : `ORDER BY ${order}`
  // One row more than there may be tells whether there are more.
  const limited = `${ordered} LIMIT ${put("UInt64", plan.limit + 1)}`
  if (plan.group_limit === null)
    return { query: `SELECT ${names}, false AS is_cut FROM (\n${cells}\n) ${limited}`, bound: parameters.bound }
  const keys = plan.keys.map((_, index) => `k${index}`).join(", ")
  const most = put("UInt64", plan.group_limit)
  const query = `SELECT ${names}, max_place > ${most} AS is_cut FROM (
    SELECT *, max(place) OVER () AS max_place FROM (
      SELECT *, row_number() OVER (PARTITION BY ${keys} ${ordered}) AS place FROM (\n${cells}\n)
    )
  ) WHERE place <= ${most} ${limited}`
  return { query, bound: parameters.bound }
}

const cellOf = (plan: AnalyticsPlan, row: readonly unknown[]): AnalyticsCell => {
  const first = plan.granularity === null ? 0 : 1
  return {
    time: first === 0 ? null : Number(row[0]),
    keys: plan.keys.map((_, index) => {
      const value = row[first + index]
      return typeof value === "string" ? value : null
    }),
    measures: plan.measures.map((name, index) => {
      const value = row[first + plan.keys.length + index]
      if (value === null || value === undefined) return null
      return metrics[name].unit === "number" ? Number(value) : BigInt(String(value))
    })
  }
}

export const makeAnalyticsReader = (
  { rows }: Pick<Clickhouse, "rows">,
  /** Brings what was recorded before. */
  upToDate: Effect.Effect<void>
): typeof AnalyticsReader.Service =>
  AnalyticsReader.of({
    read: Effect.fnUntraced(function* (account_id, plan) {
      yield* upToDate
      if (plan.classifier_id !== null) {
        const { bound, text } = new Parameters()
        const known = yield* rows(
          `SELECT 1 FROM ${classifierTable}
          WHERE account_id = ${text(account_id)} AND classifier_id = ${text(plan.classifier_id)} LIMIT 1`,
          bound
        )
        if (known.length === 0) return "unknown_classifier" as const
      }
      const planned = sourceOf(plan)
      const source = planned === undefined ? undefined : yield* summedSource({ rows }, account_id, plan, planned)
      const { query, bound } = statementOf(account_id, plan, source)
      const found = yield* rows(query, bound)
      const isCut = found[0]?.at(-1) === true || found[0]?.at(-1) === 1
      return {
        cells: found.slice(0, plan.limit).map((row) => cellOf(plan, row)),
        truncated: isCut || found.length > plan.limit,
        source: printSource(source)
      }
    })
  })
