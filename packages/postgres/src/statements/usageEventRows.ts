/**
 * Usage events of the rows of their table.
 *
 * Rows are arrays (`.values`), and each field is read where it lies. An object for a row of fifty columns, and another for the event, cost a
 * delivery more than sending it.
 */
import { type CostComponent, costComponents } from "@gatewarden/contract/internal"
import type { UsageEvent } from "@gatewarden/core/store"
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { arrayLiteral } from "./literals.ts"
import { timestampOf } from "./rows.ts"
import { eventColumns, selectedColumns } from "./usageEventTable.ts"

const names = eventColumns.split(", ")

/** The columns that an event is read of, in the order in which `eventOf` expects them. */
export const eventSelection = selectedColumns()

/** The same of a joined table. */
export const eventSelectionOf = selectedColumns

/** How many columns these are: what a statement selects behind them begins there. */
export const eventWidth = names.length

/** A row as an array. */
export type Values = readonly unknown[]

/** Where each column lies. Read by its name as it is written: a delivery reads forty of them for each of its events. */
const at = Object.fromEntries(names.map((name, index) => [name, index])) as Readonly<
  Record<Exclude<keyof UsageEvent, "cost_components">, number>
>
const components = costComponents.map((name) => [name, names.indexOf(`${name}_nanos`)] as const)

/** The event of a row whose first columns are those of an event. Amounts stay exact. */
export const eventOf = (row: Values): UsageEvent => {
  const cost_components: Partial<Record<CostComponent, bigint>> = {}
  for (const [name, index] of components) {
    const nanos = row[index]
    if (typeof nanos === "bigint") cost_components[name] = nanos
  }
  return {
    id: row[at.id] as UsageEvent["id"],
    adjusts: row[at.adjusts] as UsageEvent["adjusts"],
    workspace_id: row[at.workspace_id] as UsageEvent["workspace_id"],
    created_at: timestampOf(row[at.created_at] as Date),
    recorded_at: timestampOf(row[at.recorded_at] as Date),
    model: row[at.model] as UsageEvent["model"],
    variant: row[at.variant] as UsageEvent["variant"],
    provider: row[at.provider] as UsageEvent["provider"],
    endpoint_tag: row[at.endpoint_tag] as UsageEvent["endpoint_tag"],
    api_key_hash: row[at.api_key_hash] as UsageEvent["api_key_hash"],
    user_id: row[at.user_id] as UsageEvent["user_id"],
    external_user: row[at.external_user] as UsageEvent["external_user"],
    app: row[at.app] as UsageEvent["app"],
    origin: row[at.origin] as UsageEvent["origin"],
    app_categories: row[at.app_categories] as UsageEvent["app_categories"],
    country: row[at.country] as UsageEvent["country"],
    session_id: row[at.session_id] as UsageEvent["session_id"],
    data_region: row[at.data_region] as UsageEvent["data_region"],
    status: row[at.status] as UsageEvent["status"],
    finish_reason: row[at.finish_reason] as UsageEvent["finish_reason"],
    byok: row[at.byok] as UsageEvent["byok"],
    guardrail_invoked: row[at.guardrail_invoked] as UsageEvent["guardrail_invoked"],
    guardrail_id: row[at.guardrail_id] as UsageEvent["guardrail_id"],
    response_cached: row[at.response_cached] as UsageEvent["response_cached"],
    prompt_tokens: Number(row[at.prompt_tokens]),
    completion_tokens: Number(row[at.completion_tokens]),
    reasoning_tokens: Number(row[at.reasoning_tokens]),
    cached_tokens: Number(row[at.cached_tokens]),
    cache_write_tokens: Number(row[at.cache_write_tokens]),
    tool_calls: Number(row[at.tool_calls]),
    context_length_bucket: row[at.context_length_bucket] as UsageEvent["context_length_bucket"],
    cost_nanos: row[at.cost_nanos] as UsageEvent["cost_nanos"],
    byok_cost_nanos: row[at.byok_cost_nanos] as UsageEvent["byok_cost_nanos"],
    cost_components,
    latency_ms: row[at.latency_ms] as UsageEvent["latency_ms"],
    generation_ms: row[at.generation_ms] as UsageEvent["generation_ms"],
    throughput: row[at.throughput] as UsageEvent["throughput"],
    input_modalities: row[at.input_modalities] as UsageEvent["input_modalities"],
    output_modalities: row[at.output_modalities] as UsageEvent["output_modalities"],
    category: row[at.category] as UsageEvent["category"],
    language_type: row[at.language_type] as UsageEvent["language_type"],
    sample_weight: Number(row[at.sample_weight] ?? 1),
    classifiers: row[at.classifiers] as UsageEvent["classifiers"],
    trace: row[at.trace] as UsageEvent["trace"],
    self_reported: (row[at.self_reported] as UsageEvent["self_reported"]) === true
  }
}

/** What adjusts these requests of an account, by request. It has the request's instant, which leads to one partition. */
export const adjustmentsOf = (
  sql: SqlClient.SqlClient,
  account_id: string,
  requests: readonly Pick<UsageEvent, "id" | "created_at">[]
): Effect.Effect<ReadonlyMap<string, readonly UsageEvent[]>, SqlError.SqlError> => {
  if (requests.length === 0) return Effect.succeed(new Map())
  const times = requests.map(({ created_at }) => Date.parse(created_at))
  const first = times.reduce((one, other) => Math.min(one, other))
  const last = times.reduce((one, other) => Math.max(one, other))
  return Effect.map(
    sql`
      select ${sql.literal(eventSelection)} from gatewarden_usage_adjustments(
        ${account_id}::uuid, ${arrayLiteral(requests.map(({ id }) => id))}::text[], ${new Date(first)}, ${new Date(last)},
        null::gatewarden_usage_event
      )`.values,
    (rows) => {
      const found = new Map<string, UsageEvent[]>()
      for (const event of rows.map(eventOf)) {
        const id = event.adjusts ?? ""
        found.set(id, [...(found.get(id) ?? []), event])
      }
      return found
    }
  )
}
