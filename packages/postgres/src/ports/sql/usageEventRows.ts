/**
 * Usage events of the rows of their table.
 *
 * Rows are arrays (`.values`), and each field is read where it lies. An object for a row of fifty columns, and another for the event, cost a
 * delivery more than sending it.
 */
import { type CostComponent, costComponents } from "@gatewarden/contract"
import type { UsageEvent } from "@gatewarden/core/store"
import { timestampOf } from "./rows.ts"
import { eventColumns } from "./usageEventTable.ts"

const names = eventColumns.split(", ")

/** The columns that an event is read of, in the order in which `eventOf` expects them. */
export const eventSelection = eventColumns

/** The same of a joined table. */
export const eventSelectionOf = (table: string): string => names.map((name) => `${table}.${name}`).join(", ")

/** How many columns these are: what a statement selects behind them begins there. */
export const eventWidth = names.length

/** A row as an array. */
export type Values = readonly unknown[]

const at = Object.fromEntries(names.map((name, index) => [name, index]))
const components = costComponents.map((name) => [name, at[`${name}_nanos`] ?? 0] as const)

/** The event of a row whose first columns are those of an event. Amounts stay exact. */
export const eventOf = (row: Values): UsageEvent => {
  const cell = <T>(name: string): T => row[at[name] ?? -1] as T
  const count = (name: string): number => Number(cell<bigint>(name))
  const cost_components: Partial<Record<CostComponent, bigint>> = {}
  for (const [name, index] of components) {
    const nanos = row[index]
    if (typeof nanos === "bigint") cost_components[name] = nanos
  }
  return {
    id: cell("id"),
    workspace_id: cell("workspace_id"),
    created_at: timestampOf(cell("created_at")),
    recorded_at: timestampOf(cell("recorded_at")),
    model: cell("model"),
    variant: cell("variant"),
    provider: cell("provider"),
    endpoint_tag: cell("endpoint_tag"),
    api_key_hash: cell("api_key_hash"),
    user_id: cell("user_id"),
    external_user: cell("external_user"),
    app: cell("app"),
    origin: cell("origin"),
    app_categories: cell("app_categories"),
    country: cell("country"),
    session_id: cell("session_id"),
    data_region: cell("data_region"),
    status: cell("status"),
    finish_reason: cell("finish_reason"),
    byok: cell("byok"),
    guardrail_invoked: cell("guardrail_invoked"),
    response_cached: cell("response_cached"),
    prompt_tokens: count("prompt_tokens"),
    completion_tokens: count("completion_tokens"),
    reasoning_tokens: count("reasoning_tokens"),
    cached_tokens: count("cached_tokens"),
    tool_calls: count("tool_calls"),
    context_length_bucket: cell("context_length_bucket"),
    cost_nanos: cell("cost_nanos"),
    byok_cost_nanos: cell("byok_cost_nanos"),
    cost_components,
    latency_ms: cell("latency_ms"),
    generation_ms: cell("generation_ms"),
    throughput: cell("throughput"),
    input_modalities: cell("input_modalities"),
    output_modalities: cell("output_modalities"),
    category: cell("category"),
    language_type: cell("language_type"),
    sample_weight: Number(cell("sample_weight")),
    classifiers: cell("classifiers"),
    trace: cell("trace"),
    self_reported: cell("self_reported") === true
  }
}
