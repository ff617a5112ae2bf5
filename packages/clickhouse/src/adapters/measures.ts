/** Metrics of analytics as expressions of ClickHouse, made of the core's table: over events `e`, and over rows of sums `s`. */
import type { MetricName } from "@gatewarden/contract/internal"
import { type EventMeasure, type Total, metrics } from "@gatewarden/core/internal"
import { columnsOfTotal, rankedExactly, sketched, spreadOf } from "../schema/cellColumns.ts"

/** Wider than a sum of as many events as there can be: one of 64 bits would wrap around in silence. */
const exact = (field: string): string => `toInt128(e.${field})`

const totalOf = (total: Total): string => {
  if ("count" in total) return total.count === "events" ? "countIf(isNull(e.adjusts))" : `countIf(e.${total.count})`
  if ("component" in total) return `sum(${exact(`${total.component}_nanos`)})`
  return total.sum.map((field) => `sum(${exact(field)})`).join(" + ")
}

const measured = "e.status = 'ok'"

type Percentile = (typeof sketched)[number]

/** By nearest rank, of values in order. Expressions that several metrics share are computed once, if they are the same to the letter. */
const ranked = (count: string, values: string, sketch: string, percentile: Percentile): string =>
  `multiIf(${count} = 0, NULL, ${count} <= ${rankedExactly}, ${values}[intDiv(${count} * ${percentile} + 99, 100)], ` +
  `${sketch}[${sketched.indexOf(percentile) + 1}])`

const percentileOf = (field: EventMeasure, percentile: Percentile): string => {
  const first = `arraySort(groupArrayIf(${rankedExactly + 1})(e.${field}, ${measured}))`
  const levels = sketched.map((level) => level / 100).join(", ")
  return ranked(`length(${first})`, first, `quantilesBFloat16If(${levels})(e.${field}, ${measured})`, percentile)
}

export const measureOf = (name: MetricName): string => {
  const metric = metrics[name]
  if ("total" in metric) return totalOf(metric.total)
  if ("whole" in metric) return `toFloat64(${totalOf(metric.part)}) / nullIf(toFloat64(${totalOf(metric.whole)}), 0)`
  if ("mean" in metric) return `avgIf(e.${metric.mean}, ${measured})`
  return percentileOf(metric.of, metric.percentile)
}

const totalOfSums = (total: Total): string =>
  columnsOfTotal(total)
    .map((column) => `sum(toInt128(s.${column}))`)
    .join(" + ")

/** The same as `measureOf`. */
export const measureOfSums = (name: MetricName): string => {
  const metric = metrics[name]
  if ("total" in metric) return totalOfSums(metric.total)
  if ("whole" in metric)
    return `toFloat64(${totalOfSums(metric.part)}) / nullIf(toFloat64(${totalOfSums(metric.whole)}), 0)`
  if ("mean" in metric) return `sum(s.${metric.mean}_sum) / nullIf(sum(s.${metric.mean}_count), 0)`
  const [values, sketch] = spreadOf.merged(metric.of)
  return ranked(`sum(s.${metric.of}_count)`, values, sketch, metric.percentile)
}

/** The columns of sums that a metric is computed of, and the measure whose spread it needs. */
export const neededOf = (name: MetricName): { readonly sums: readonly string[]; readonly spread?: EventMeasure } => {
  const metric = metrics[name]
  if ("total" in metric) return { sums: columnsOfTotal(metric.total) }
  if ("whole" in metric) return { sums: [...columnsOfTotal(metric.part), ...columnsOfTotal(metric.whole)] }
  if ("mean" in metric) return { sums: [`${metric.mean}_sum`, `${metric.mean}_count`] }
  return { sums: [`${metric.of}_count`], spread: metric.of }
}
