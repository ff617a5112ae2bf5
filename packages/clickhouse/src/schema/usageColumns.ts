/**
 * The columns of a usage event in ClickHouse: the type of each, what an event writes, and what an event is read of.
 *
 * Fields that dimensions and metrics name and that have no row here are stored as text and as counts, so that a new one needs no change.
 */
import { costComponents } from "@gatewarden/contract/internal"
import { type UsageEvent, dimensions, metrics } from "@gatewarden/core/internal"

/** What a column holds, in JSON. */
export type Cell = string | number | boolean | null | readonly Cell[]

export interface UsageColumn {
  readonly name: string
  /** The type and the codec. */
  readonly type: string
  readonly write: (event: UsageEvent) => Cell
}

type Field = keyof UsageEvent
type FieldsOf<T> = { readonly [F in Field]: UsageEvent[F] extends T ? F : never }[Field]

const column = (name: string, type: string, write: UsageColumn["write"]): UsageColumn => ({ name, type, write })

/** Few different values, which is all that aggregates group by. */
const text = (field: FieldsOf<string | null>, type = "LowCardinality(Nullable(String))") =>
  column(field, type, (event) => event[field])

const name = (field: FieldsOf<string>) => text(field, "LowCardinality(String)")

/** Of so many different values that each is written out. */
const many = (field: FieldsOf<string | null>, type: string) => text(field, `${type} CODEC(ZSTD(3))`)

/** Signed, because a difference may be negative. LZ4 takes a tenth more than ZSTD, and is read in half of its time. */
const count = (field: FieldsOf<number>) => column(field, "Int64 CODEC(T64, LZ4)", (event) => event[field])

const flag = (field: FieldsOf<boolean>) => column(field, "Bool", (event) => event[field])

/** Text, because a number of JSON would not be exact. */
const amount = (field: FieldsOf<bigint>) => column(field, "Int64 CODEC(T64, LZ4)", (event) => `${event[field]}`)

/** Epoch milliseconds: the contract's years are 0000 to 9999, of which no type of time has all. */
const instant = (field: "created_at" | "recorded_at") =>
  column(field, "Int64 CODEC(T64, LZ4)", (event) => Date.parse(event[field]))

/** Microseconds, since events have three decimals: an integer takes half of what its fraction would. */
const duration = (field: "latency_ms" | "generation_ms", stored: string) =>
  column(stored, "Nullable(Int64) CODEC(T64, LZ4)", (event) => {
    const millis = event[field]
    return millis === null ? null : `${BigInt(Math.round(millis * 1_000))}`
  })

const json = (field: "classifiers" | "trace", type: string) =>
  column(field, type, (event) => {
    const value = event[field]
    return value === null ? null : JSON.stringify(value)
  })

/** Lists of which there are few different ones. */
const list = (field: "input_modalities" | "output_modalities" | "app_categories") =>
  column(field, "LowCardinality(Nullable(String))", (event) => {
    const value = event[field]
    return value === null ? null : JSON.stringify(value)
  })

const named: readonly UsageColumn[] = [
  instant("created_at"),
  many("id", "String"),
  name("workspace_id"),
  instant("recorded_at"),
  name("model"),
  name("variant"),
  name("provider"),
  text("endpoint_tag"),
  text("api_key_hash"),
  text("user_id"),
  text("external_user"),
  text("app"),
  text("origin"),
  list("app_categories"),
  text("country"),
  text("session_id"),
  text("data_region"),
  name("status"),
  text("finish_reason"),
  flag("byok"),
  flag("guardrail_invoked"),
  flag("response_cached"),
  count("prompt_tokens"),
  count("completion_tokens"),
  count("reasoning_tokens"),
  count("cached_tokens"),
  count("cache_write_tokens"),
  count("tool_calls"),
  name("context_length_bucket"),
  amount("cost_nanos"),
  amount("byok_cost_nanos"),
  ...costComponents.map((component) =>
    column(`${component}_nanos`, "Nullable(Int64) CODEC(T64, LZ4)", ({ cost_components }) => {
      const nanos = cost_components[component]
      return nanos === undefined ? null : `${nanos}`
    })
  ),
  duration("latency_ms", "latency_us"),
  duration("generation_ms", "generation_us"),
  list("input_modalities"),
  list("output_modalities"),
  text("category"),
  text("language_type"),
  column("sample_weight", "Float64", ({ sample_weight }) => sample_weight),
  json("classifiers", "Nullable(String) CODEC(ZSTD(3))"),
  json("trace", "Nullable(String) CODEC(ZSTD(3))"),
  flag("self_reported"),
  many("adjusts", "Nullable(String)")
]

/** What readers call by the name of the event's field, and what is computed of columns. */
export const aliases: readonly (readonly [name: string, expression: string])[] = [
  ["latency_ms", "latency_us / 1000"],
  ["generation_ms", "generation_us / 1000"],
  // As it was computed of the event when it was recorded, in the same order of operations.
  ["throughput", "completion_tokens * 1000 / nullIf(generation_us / 1000, 0)"]
]

const known = new Set([...named.map(({ name }) => name), ...aliases.map(([name]) => name)])

const summed = Object.values(metrics).flatMap((metric) => {
  const totals = "total" in metric ? [metric.total] : "whole" in metric ? [metric.part, metric.whole] : []
  return totals.flatMap((total) => ("sum" in total ? total.sum : []))
})

/** Fields that the tables of the core name, and this one does not. */
const added = (fields: readonly string[], make: (field: never) => UsageColumn): readonly UsageColumn[] =>
  [...new Set(fields)].filter((field) => !known.has(field)).map((field) => make(field as never))

export const usageColumns: readonly UsageColumn[] = [
  ...named,
  ...added(Object.values(dimensions), text),
  ...added(summed, count)
]
