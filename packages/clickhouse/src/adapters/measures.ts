/** Metrics of analytics as expressions of ClickHouse, made of the core's table. */
import type { MetricName } from "@gatewarden/contract/internal"
import { type EventMeasure, type Total, metrics } from "@gatewarden/core/internal"

/** Wider than a sum of as many events as there can be: one of 64 bits would wrap around in silence. */
const exact = (field: string): string => `toInt128(e.${field})`

const totalOf = (total: Total): string => {
  if ("count" in total) return total.count === "events" ? "countIf(isNull(e.adjusts))" : `countIf(e.${total.count})`
  if ("component" in total) return `sum(${exact(`${total.component}_nanos`)})`
  return total.sum.map((field) => `sum(${exact(field)})`).join(" + ")
}

const measured = "e.status = 'ok'"

/** So many values of a cell are ranked exactly; of more, the value at a rank is at most 1 % too low. */
const rankedExactly = 1_000

const sketched = [50, 90, 99] as const

/** Expressions that several metrics share are computed once, if they are the same to the letter. */
const percentileOf = (field: EventMeasure, percentile: (typeof sketched)[number]): string => {
  const first = `arraySort(groupArrayIf(${rankedExactly + 1})(e.${field}, ${measured}))`
  const levels = sketched.map((level) => level / 100).join(", ")
  const sketch = `quantilesBFloat16If(${levels})(e.${field}, ${measured})`
  // Nearest rank.
  const rank = `intDiv(length(${first}) * ${percentile} + 99, 100)`
  return `multiIf(length(${first}) = 0, NULL, length(${first}) <= ${rankedExactly}, ${first}[${rank}], ${sketch}[${sketched.indexOf(percentile) + 1}])`
}

export const measureOf = (name: MetricName): string => {
  const metric = metrics[name]
  if ("total" in metric) return totalOf(metric.total)
  if ("whole" in metric) return `toFloat64(${totalOf(metric.part)}) / nullIf(toFloat64(${totalOf(metric.whole)}), 0)`
  if ("mean" in metric) return `avgIf(e.${metric.mean}, ${measured})`
  return percentileOf(metric.of, metric.percentile)
}
