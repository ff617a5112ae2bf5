/**
 * The columns of sums of events: the values of a roll-up's dimensions, and what metrics are computed of. Made of the core's tables.
 *
 * A cell is of an hour or a day, of an account and a workspace. What percentiles are read of is in the days of coarse roll-ups alone.
 */
import { type EventMeasure, type Total, dimensions, metrics, rollups } from "@gatewarden/core/internal"

export interface CellColumn {
  readonly name: string
  readonly type: string
  /** Over the events of a cell, `e`. */
  readonly ofEvents: string
}

/** So many values of a cell are ranked exactly; of more, the value at a rank is at most 1 % too low. */
export const rankedExactly = 1_000

/** Values up to which a cell has no sketch: it would take more than they do, and is quickly made of them. */
const unsketched = 250

export const sketched = [50, 90, 99] as const
const sketch = "quantilesBFloat16State"
const levels = sketched.map((level) => level / 100).join(", ")
const emptySketch = `arrayReduce('${sketch}(${levels})', emptyArrayFloat64())`

/** Wider than a sum of as many events as there can be: one of 64 bits would wrap around in silence. */
const exact = (field: string): string => `toInt128(e.${field})`

/** The columns that a total is the sum of. */
export const columnsOfTotal = (total: Total): readonly string[] => {
  if ("count" in total) return [total.count === "events" ? "request_count" : total.count]
  return "component" in total ? [`${total.component}_nanos`] : total.sum
}

const totals: readonly Total[] = Object.values(metrics).flatMap((metric) =>
  "total" in metric ? [metric.total] : "whole" in metric ? [metric.part, metric.whole] : []
)

const columnsOf = (total: Total): readonly CellColumn[] => {
  if ("component" in total) {
    const name = `${total.component}_nanos`
    return [{ name, type: "Nullable(Int128) CODEC(ZSTD(1))", ofEvents: `sum(${exact(name)})` }]
  }
  if ("sum" in total)
    return total.sum.map((name) => ({ name, type: "Int128 CODEC(ZSTD(1))", ofEvents: `sum(${exact(name)})` }))
  const [name = ""] = columnsOfTotal(total)
  const ofEvents = total.count === "events" ? "countIf(isNull(e.adjusts))" : `countIf(e.${name})`
  return [{ name, type: "UInt64 CODEC(T64, ZSTD(1))", ofEvents }]
}

const measures: readonly EventMeasure[] = ["latency_ms", "throughput"]

const isMeasured = (of: EventMeasure): string => `e.status = 'ok' AND isNotNull(e.${of})`
const measured = (of: EventMeasure): string => `assumeNotNull(e.${of}), ${isMeasured(of)}`

const meanColumns = (of: EventMeasure): readonly CellColumn[] => [
  { name: `${of}_count`, type: "UInt64 CODEC(T64, ZSTD(1))", ofEvents: `countIf(${isMeasured(of)})` },
  { name: `${of}_sum`, type: "Float64 CODEC(ZSTD(1))", ofEvents: `sumIf(${measured(of)})` }
]

const firstValues = (of: EventMeasure): string => `groupArrayIf(${rankedExactly + 1})(${measured(of)})`
const sketchOf = (of: EventMeasure): string => `${sketch}If(${levels})(${measured(of)})`

/** Values of a cell that has few, and a sketch of one that has many. */
const spreadColumns = (of: EventMeasure): readonly (CellColumn & { readonly none: string })[] => [
  {
    name: `${of}_values`,
    type: "Array(Float64) CODEC(ZSTD(1))",
    ofEvents: `if(countIf(${isMeasured(of)}) <= ${rankedExactly}, arraySort(${firstValues(of)}), [])`,
    none: "emptyArrayFloat64()"
  },
  {
    name: `${of}_sketch`,
    type: `AggregateFunction(quantilesBFloat16(${levels}), Float64) CODEC(ZSTD(1))`,
    ofEvents: `if(countIf(${isMeasured(of)}) > ${unsketched}, ${sketchOf(of)}, ${emptySketch})`,
    none: emptySketch
  }
]

/** The same of rows that are merged with others: cells, and groups of events. */
export const spreadOf = {
  cell: (of: EventMeasure): readonly string[] => [
    `e.${of}_values AS ${of}_values`,
    `if(e.${of}_count > ${unsketched}, e.${of}_sketch,
      arrayReduce('${sketch}(${levels})', if(e.${of}_count > ${unsketched}, emptyArrayFloat64(), e.${of}_values))) AS ${of}_sketch`
  ],
  events: (of: EventMeasure): readonly string[] => [
    `${firstValues(of)} AS ${of}_values`,
    `${sketchOf(of)} AS ${of}_sketch`
  ],
  merged: (of: EventMeasure): readonly [values: string, sketch: string] => [
    `arraySort(groupArrayArray(${rankedExactly + 1})(s.${of}_values))`,
    `quantilesBFloat16Merge(${levels})(s.${of}_sketch)`
  ]
}

const first = <C extends { readonly name: string }>(columns: readonly C[]): readonly C[] => [
  ...new Map(columns.map((column) => [column.name, column])).values()
]

/** What is summed in every cell. */
export const sumColumns: readonly CellColumn[] = first([...totals.flatMap(columnsOf), ...measures.flatMap(meanColumns)])

/** What percentiles are read of, and what a cell without has instead. */
export const cellSpreads = measures.flatMap(spreadColumns)

/** The fields that any roll-up has. */
export const cellDimensions: readonly string[] = [
  ...new Set(rollups.flatMap((rollup) => rollup.dimensions.map((name) => dimensions[name])))
]

/** What the number of a set of cells has more if it is by hour: a bit that no roll-up has. */
const hourly = 128

export interface CellSet {
  readonly number: number
  readonly isByHour: boolean
  readonly fields: readonly string[]
  readonly hasSpreads: boolean
}

/** The cells of one roll-up by day or by hour. */
export const cellSets: readonly CellSet[] = rollups.flatMap(({ bits, dimensions: names, isCoarse }) => {
  const fields = names.map((name) => dimensions[name])
  const byDay: CellSet = { number: bits, isByHour: false, fields, hasSpreads: isCoarse }
  return isCoarse ? [byDay, { number: bits + hourly, isByHour: true, fields, hasSpreads: false }] : [byDay]
})

export const setOf = (bits: number, isByHour: boolean): number => bits + (isByHour ? hourly : 0)

export const cellColumns: readonly { readonly name: string; readonly type: string }[] = [
  { name: "account_id", type: "LowCardinality(String)" },
  { name: "rollup", type: "UInt8" },
  { name: "day", type: "Int64 CODEC(T64, ZSTD(1))" },
  { name: "bucket", type: "Int64 CODEC(T64, ZSTD(1))" },
  { name: "version", type: "UInt64 CODEC(ZSTD(1))" },
  { name: "workspace_id", type: "LowCardinality(String)" },
  ...cellDimensions.map((name) => ({ name, type: "LowCardinality(Nullable(String))" })),
  ...sumColumns,
  ...cellSpreads
]
