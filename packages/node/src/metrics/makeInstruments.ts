/** Instruments for the rows of the table of metrics. A name or a label that no row has does not compile. */
import { type Context, Metric } from "effect"
import { type LabelsOf, type MetricName, type MetricRow, metricTable } from "./metricTable.ts"

const rowOf = (name: keyof typeof metricTable): MetricRow => metricTable[name]

export const makeInstruments = (registry: Context.Context<never>) => ({
  counter: <Name extends MetricName<"counter">>(name: Name) => {
    const metric = Metric.counter(name, { description: rowOf(name).meaning, incremental: true })
    return (amount: number, ...labels: LabelsOf<Name>): void =>
      Metric.withAttributes(metric, labels[0] ?? {}).updateUnsafe(amount, registry)
  },
  gauge: <Name extends MetricName<"gauge">>(name: Name) => {
    const metric = Metric.gauge(name, { description: rowOf(name).meaning })
    return {
      set: (value: number, ...labels: LabelsOf<Name>): void =>
        Metric.withAttributes(metric, labels[0] ?? {}).updateUnsafe(value, registry),
      add: (change: number): void => metric.modifyUnsafe(change, registry)
    }
  },
  histogram: <Name extends MetricName<"histogram">>(name: Name) => {
    const { meaning: description, bounds: boundaries = [] } = rowOf(name)
    const metric = Metric.histogram(name, { boundaries, description })
    return (value: number, ...labels: LabelsOf<Name>): void =>
      Metric.withAttributes(metric, labels[0] ?? {}).updateUnsafe(value, registry)
  }
})

export type Instruments = ReturnType<typeof makeInstruments>
