/**
 * Recorded events as lines of NDJSON and records of CSV, with the fields with which they can be recorded again.
 *
 * Amounts are exact decimal texts. A field without a value is absent in NDJSON and an empty cell in CSV, as imports read it. Members of
 * objects come in the order of their names: a store may keep them in another order than they were sent in.
 */
import { costComponents, UsageExportFormat } from "@gatewarden/contract/internal"
import { joinVariant } from "../../catalog/modelNames.ts"
import { type PrintCell, compareText, csvCell, safeCsvCell } from "../../value/text.ts"
import { formatUsd } from "../../value/money.ts"
import type { UsageEvent } from "../../ports/usage.ts"

type Printed = string | number | boolean | object | null

/** The columns of CSV, and their values. A component of the cost is a column of its own. */
const columns: readonly (readonly [name: string, value: (event: UsageEvent) => Printed])[] = [
  ["id", (event) => event.id],
  ["created_at", (event) => event.created_at],
  ["model", (event) => joinVariant({ slug: event.model, variant: event.variant })],
  ["provider", (event) => event.provider],
  ["prompt_tokens", (event) => event.prompt_tokens],
  ["completion_tokens", (event) => event.completion_tokens],
  ["reasoning_tokens", (event) => event.reasoning_tokens],
  ["cached_tokens", (event) => event.cached_tokens],
  ["cache_write_tokens", (event) => event.cache_write_tokens],
  ["tool_calls", (event) => event.tool_calls],
  ["cost_usd", (event) => formatUsd(event.cost_nanos)],
  ["byok_cost_usd", (event) => formatUsd(event.byok_cost_nanos)],
  ["byok", (event) => event.byok],
  ["status", (event) => event.status],
  ["workspace_id", (event) => event.workspace_id],
  ["api_key_hash", (event) => event.api_key_hash],
  ["user_id", (event) => event.user_id],
  ["external_user", (event) => event.external_user],
  ["app", (event) => event.app],
  ["origin", (event) => event.origin],
  ["country", (event) => event.country],
  ["endpoint_tag", (event) => event.endpoint_tag],
  ["session_id", (event) => event.session_id],
  ["data_region", (event) => event.data_region],
  ["finish_reason", (event) => event.finish_reason],
  ["latency_ms", (event) => event.latency_ms],
  ["generation_ms", (event) => event.generation_ms],
  ["guardrail_invoked", (event) => event.guardrail_invoked],
  ["guardrail_id", (event) => event.guardrail_id],
  ["response_cached", (event) => event.response_cached],
  ["category", (event) => event.category],
  ["language_type", (event) => event.language_type],
  ["sample_weight", (event) => event.sample_weight],
  ["input_modalities", (event) => event.input_modalities],
  ["output_modalities", (event) => event.output_modalities],
  ["app_categories", (event) => event.app_categories],
  ["classifiers", (event) => event.classifiers && inOrder(event.classifiers)],
  ["trace", (event) => event.trace && inOrder(event.trace)]
]

/** The same value with the members of every object by name. `__proto__` is an ordinary name. */
const inOrder = (value: object): object =>
  Array.isArray(value)
    ? value.map(ordered)
    : Object.fromEntries(
        Object.entries(value)
          .sort(([a], [b]) => compareText(a, b))
          .map(([name, member]) => [name, ordered(member)])
      )

const ordered = (value: unknown): unknown => (typeof value === "object" && value !== null ? inOrder(value) : value)

const componentsOf = ({ cost_components }: UsageEvent): readonly (readonly [string, string])[] =>
  costComponents.flatMap((name) => {
    const nanos = cost_components[name]
    return nanos === undefined ? [] : [[name, formatUsd(nanos)] as const]
  })

const jsonLine = (event: UsageEvent): string => {
  const fields = columns.flatMap(([name, value]) => {
    const printed = value(event)
    return printed === null ? [] : [[name, printed] as const]
  })
  const components = componentsOf(event)
  const shown = components.length === 0 ? fields : [...fields, ["cost_components", Object.fromEntries(components)]]
  return `${JSON.stringify(Object.fromEntries(shown))}\n`
}

const cellOf = (value: Printed, print: PrintCell): string =>
  value === null ? "" : print(typeof value === "object" ? JSON.stringify(value) : String(value))

const csvRecord =
  (print: PrintCell) =>
  (event: UsageEvent): string => {
    const components = new Map(componentsOf(event))
    const cells = [
      ...columns.map(([, value]) => cellOf(value(event), print)),
      ...costComponents.map((name) => components.get(name) ?? "")
    ]
    return `${cells.join(",")}\r\n`
  }

const header = `${[...columns.map(([name]) => name), ...costComponents.map((name) => `cost_components.${name}`)].join(",")}\r\n`

/** `plain_csv`: with every text as it was recorded, also where a spreadsheet would run it. */
export const eventFormats = [...UsageExportFormat.options, "plain_csv"] as const
export type EventFormat = (typeof eventFormats)[number]

export const eventFormatOf = (format: UsageExportFormat, isSafe: boolean): EventFormat =>
  format === "csv" && !isSafe ? "plain_csv" : format

export const exportHeader: Readonly<Record<EventFormat, string>> = { ndjson: "", csv: header, plain_csv: header }

export const printEvent: Readonly<Record<EventFormat, (event: UsageEvent) => string>> = {
  ndjson: jsonLine,
  csv: csvRecord(safeCsvCell),
  plain_csv: csvRecord(csvCell)
}
