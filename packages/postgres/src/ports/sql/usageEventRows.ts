/** Usage events of the rows of their table. */
import { costComponents } from "@gatewarden/contract"
import type { UsageEvent } from "@gatewarden/core/store"
import { type Columns, fromRow } from "./rows.ts"
import { eventColumns } from "./usageEventTable.ts"

export const eventSelection = eventColumns

const names = eventColumns.split(", ")

/** The same columns of a joined table. */
export const eventSelectionOf = (table: string): string => names.map((name) => `${table}.${name}`).join(", ")

/** The event of a row that has more columns than an event. */
export const joinedEventOf = (row: Columns): UsageEvent =>
  eventOf(Object.fromEntries(names.map((name) => [name, row[name]])))

/** Amounts stay exact: the one converter would make numbers of them. */
export const eventOf = (row: Columns): UsageEvent => {
  const event = fromRow<UsageEvent & Record<string, unknown>>(row)
  const cost_components: Record<string, bigint> = {}
  for (const name of costComponents) {
    const column = `${name}_nanos`
    const nanos = row[column]
    if (typeof nanos === "bigint") cost_components[name] = nanos
    delete event[column]
  }
  return {
    ...event,
    cost_nanos: row["cost_nanos"] as bigint,
    byok_cost_nanos: row["byok_cost_nanos"] as bigint,
    cost_components,
    sample_weight: Number(row["sample_weight"]),
    self_reported: row["self_reported"] === true
  }
}
