/** Usage events as a table that a statement can select from: one parameter a column, however many events. */
import { costComponents } from "@gatewarden/contract/internal"
import type { SelectedEvents, UsageEvent } from "@gatewarden/core/store"
import type { SqlClient } from "effect/sql"
import { runsOf } from "../functions/deliveries.ts"
import { type ArrayElement, arrayLiteral, byteaLiteral, instantText, jsonLiteral } from "./literals.ts"
import { estimated } from "./AnalyticsSql.ts"

/** What most events have as 0 or 1 is null. */
const unless = (usual: number, value: number): number | null => (value === usual ? null : value)

/** Every column but the account, with its type as a parameter and its value. */
const columns: readonly (readonly [name: string, type: string, value: (event: UsageEvent) => ArrayElement])[] = [
  ["id", "text", (event) => event.id],
  ["workspace_id", "uuid", (event) => event.workspace_id],
  ["created_at", "bigint", (event) => Date.parse(event.created_at)],
  ["recorded_at", "bigint", (event) => Date.parse(event.recorded_at)],
  ["prompt_tokens", "bigint", (event) => event.prompt_tokens],
  ["completion_tokens", "bigint", (event) => event.completion_tokens],
  ["reasoning_tokens", "bigint", (event) => unless(0, event.reasoning_tokens)],
  ["cached_tokens", "bigint", (event) => unless(0, event.cached_tokens)],
  ["cache_write_tokens", "bigint", (event) => unless(0, event.cache_write_tokens)],
  ["tool_calls", "bigint", (event) => unless(0, event.tool_calls)],
  ["cost_nanos", "bigint", (event) => event.cost_nanos],
  ["byok_cost_nanos", "bigint", (event) => event.byok_cost_nanos],
  ...costComponents.map(
    (name) => [`${name}_nanos`, "bigint", (event: UsageEvent) => event.cost_components[name]] as const
  ),
  ["latency_ms", "double precision", (event) => event.latency_ms],
  ["generation_ms", "double precision", (event) => event.generation_ms],
  ["throughput", "double precision", (event) => event.throughput],
  ["byok", "boolean", (event) => event.byok],
  ["guardrail_invoked", "boolean", (event) => event.guardrail_invoked],
  ["response_cached", "boolean", (event) => event.response_cached],
  ["status", "text", (event) => event.status],
  ["model", "text", (event) => event.model],
  ["variant", "text", (event) => event.variant],
  ["provider", "text", (event) => event.provider],
  ["endpoint_tag", "text", (event) => event.endpoint_tag],
  ["adjusts", "text", (event) => event.adjusts],
  ["guardrail_id", "text", (event) => event.guardrail_id],
  ["api_key_hash", "text", (event) => event.api_key_hash],
  ["user_id", "text", (event) => event.user_id],
  ["external_user", "text", (event) => event.external_user],
  ["app", "text", (event) => event.app],
  ["origin", "text", (event) => event.origin],
  ["country", "text", (event) => event.country],
  ["session_id", "text", (event) => event.session_id],
  ["data_region", "text", (event) => event.data_region],
  ["finish_reason", "text", (event) => event.finish_reason],
  ["context_length_bucket", "text", (event) => event.context_length_bucket],
  ["category", "text", (event) => event.category],
  ["language_type", "text", (event) => event.language_type],
  ["sample_weight", "numeric", (event) => unless(1, event.sample_weight)],
  ["input_modalities", "text", (event) => event.input_modalities && arrayLiteral(event.input_modalities)],
  ["output_modalities", "text", (event) => event.output_modalities && arrayLiteral(event.output_modalities)],
  ["app_categories", "text", (event) => event.app_categories && arrayLiteral(event.app_categories)],
  ["classifiers", "text", (event) => event.classifiers && JSON.stringify(event.classifiers)],
  ["trace", "text", (event) => event.trace && JSON.stringify(event.trace)],
  ["self_reported", "boolean", (event) => event.self_reported]
]

/** How a parameter becomes a column that an array of parameters cannot hold as it is. */
const conversions: Readonly<Record<string, (name: string) => string>> = {
  created_at: (name) => `'epoch'::timestamptz + ${name} * interval '1 millisecond'`,
  recorded_at: (name) => `'epoch'::timestamptz + ${name} * interval '1 millisecond'`,
  classifiers: (name) => `${name}::jsonb`,
  trace: (name) => `${name}::jsonb`
}

/** Columns whose value in JSON is not the parameter's. */
const jsonValues: Readonly<Record<string, (event: UsageEvent) => unknown>> = {
  created_at: (event) => instantText(new Date(event.created_at)),
  recorded_at: (event) => instantText(new Date(event.recorded_at)),
  classifiers: (event) => event.classifiers,
  trace: (event) => event.trace
}

const jsonColumns = columns.map(([name, , value]) => [name, jsonValues[name] ?? value] as const)

/**
 * The events as `json_populate_recordset` reads rows of their table; integers as text, which keeps them exact. A row of a selected event also
 * has what the stream of deliveries and the table of kept bodies take of it, which that function ignores.
 */
export const usageEventJson = (events: readonly UsageEvent[], selected?: SelectedEvents): string => {
  const runs = selected === undefined ? [] : runsOf(events, selected)
  const rows = events.map((event, index) => {
    const row: Record<string, unknown> = {}
    for (const [name, value] of jsonColumns) {
      const column = value(event)
      if (column !== null && column !== undefined) row[name] = typeof column === "bigint" ? `${column}` : column
    }
    const delivery = selected?.get(event)
    if (delivery !== undefined) {
      if (delivery.destinations.length > 0) {
        row["delivered_to"] = arrayLiteral(delivery.destinations)
        row["delivery_run"] = runs[index]
      }
      if (delivery.sealed_bodies !== null) row["sealed_bodies"] = byteaLiteral(delivery.sealed_bodies)
      if (delivery.sealed_content !== null) row["sealed_content"] = byteaLiteral(delivery.sealed_content)
    }
    return row
  })
  return jsonLiteral(rows)
}

const names = columns.map(([name]) => name)
export const eventColumns = names.join(", ")

/** Lists, which are stored as the text of an array. */
const lists: ReadonlySet<string> = new Set(["input_modalities", "output_modalities", "app_categories"])

/** The columns as they are read, of a table by its name in the statement. */
export const selectedColumns = (table?: string): string =>
  names
    .map((name) => (table === undefined ? name : `${table}.${name}`) + (lists.has(name) ? "::text[]" : ""))
    .join(", ")
const converted = names.map((name) => [name, conversions[name]?.(`sent.${name}`) ?? `sent.${name}`] as const)
const convertedColumns = converted.map(([, value]) => value).join(", ")
const namedColumns = converted.map(([name, value]) => `${value} as ${name}`).join(", ")

/** The rows of the events, as `sent`, with their `position`; `columns` selects them as they are stored, `named` with their names. */
export const usageEventTable = (sql: SqlClient.SqlClient) => {
  const columnList = sql.literal(eventColumns)
  return {
    columns: sql.literal(convertedColumns),
    named: sql.literal(namedColumns),
    table: (events: readonly UsageEvent[]) => {
      const arrays = columns.map(([, type, value]) =>
        estimated(sql, events.length, sql`${arrayLiteral(events.map(value))}::${sql.literal(type)}[]`)
      )
      return sql`unnest(${sql.csv(arrays)}) with ordinality as sent (${columnList}, position)`
    }
  }
}
