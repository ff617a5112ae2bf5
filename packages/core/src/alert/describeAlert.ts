/** An alert in words, for people: one line, and facts with their names. Rule: alerts#formats. */
import { type AlertKind, BudgetScope } from "@gatewarden/contract"
import { Effect } from "effect"
import { type NamedBudget, findBudgetNames } from "../naming/findNames.ts"
import type { Alert } from "../ports/alerts.ts"

export interface DescribedAlert {
  readonly title: string
  readonly facts: readonly (readonly [name: string, value: string])[]
}

const titleLength = 150
const factLength = 500

const scopes: Readonly<Record<BudgetScope, string>> = {
  key_limit: "limit of a key",
  workspace_budget: "budget of a workspace",
  workspace_default_member: "spend limit of a member in a workspace",
  workspace_default_key: "spend limit of each key in a workspace",
  member: "spend limit of a member",
  key: "spend limit of a key's guardrail"
}

/** One line of at most so many code points. */
const line = (text: string, most: number): string => {
  const flat = [...text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")]
  return flat.length <= most ? flat.join("") : `${flat.slice(0, most - 1).join("")}…`
}

const budgetOf = ({ scope, interval }: AlertMessage["data"]): string => {
  const known = BudgetScope.safeParse(scope)
  return `${String(interval)} ${known.success ? scopes[known.data] : "budget"}`
}

const titles: Readonly<Record<AlertMessage["type"], (data: AlertMessage["data"]) => string>> = {
  "budget.spent_80": (data) => `80 % of a ${budgetOf(data)} is spent`,
  "budget.spent_95": (data) => `95 % of a ${budgetOf(data)} is spent`,
  "budget.denied": (data) => `A ${budgetOf(data)} has denied a request`,
  "key.expiring": ({ key_name, days }) =>
    `The key "${String(key_name)}" expires within ${days === 1 ? "a day" : `${String(days)} days`}`,
  "destination.failing": ({ destination_name, destination_type }) =>
    `The destination "${String(destination_name ?? destination_type)}" accepts nothing`,
  "destination.dead_letters": ({ destination_name, destination_type }) =>
    `Events for the destination "${String(destination_name ?? destination_type)}" become dead letters`,
  // Without a name: the subject of a test has no text of the tenant.
  "channel.test": () => "A test of an alert channel"
}

/** Fields whose names other fields hold. */
const namedBy: Readonly<Record<string, string>> = {
  entity: "entity_name",
  guardrail_id: "guardrail_name",
  key_hash: "key_name",
  destination_id: "destination_name"
}

/** `Name (id)`, or the id alone. */
const told = (id: unknown, name: unknown): string =>
  line(typeof name === "string" ? `${name} (${String(id)})` : String(id), factLength)

const factNames: Readonly<Record<string, string>> = {
  channel_id: "Channel",
  entity: "Of",
  guardrail_id: "Guardrail",
  window_start: "Since",
  limit_usd: "Limit in USD",
  spent_usd: "Spent in USD",
  key_hash: "Key",
  expires_at: "Expires at",
  destination_id: "Destination",
  destination_type: "Type",
  failing_since: "Failing since",
  last_status: "Last status",
  day: "Day"
}

export const describeAlert = ({
  type,
  workspace_id,
  workspace_name,
  data,
  created_at
}: AlertMessage): DescribedAlert => ({
  title: line(titles[type](data), titleLength),
  facts: [
    ...Object.entries(factNames).flatMap(([field, name]) =>
      data[field] === undefined || data[field] === null
        ? []
        : [[name, told(data[field], data[namedBy[field] ?? ""])] as const]
    ),
    ["Workspace", told(workspace_id, workspace_name)],
    ["At", created_at]
  ]
})

/** What a channel is told: an alert, or a test of the channel. */
export interface AlertMessage {
  /** The same at each attempt. */
  readonly id: string
  readonly type: AlertKind | "channel.test"
  readonly workspace_id: string
  /** Its name now; `null` if it was deleted, and absent from a test. */
  readonly workspace_name?: string | null
  readonly subject: string
  readonly data: Readonly<Record<string, unknown>>
  readonly created_at: string
}

type Named = Pick<Alert, "workspace_id" | "data">

/** The data of an alert of a budget has these fields; that of others has not. */
const namedBudgetOf = ({ workspace_id, data }: Named): NamedBudget => ({
  workspace_id,
  ...(data as { readonly scope?: BudgetScope; readonly entity?: string; readonly guardrail_id?: string | null })
})

/** Alerts with the names that their workspaces, and the keys and guardrails of their budgets, have now. Rule: requests#names-beside-ids. */
export const nameAlerts = <A extends Named>(
  account_id: string,
  alerts: readonly A[],
  reaches: (workspace_id: string | null) => boolean
) => {
  const rows = alerts.map((alert) => ({ alert, budget: namedBudgetOf(alert) }))
  return Effect.map(
    findBudgetNames(
      account_id,
      rows.map(({ budget }) => budget),
      reaches
    ),
    (namesOf) =>
      rows.map(({ alert, budget }) => {
        const { workspace_name, ...names } = namesOf(budget)
        return {
          ...alert,
          workspace_name,
          data: budget.scope === undefined ? alert.data : { ...alert.data, ...names }
        }
      })
  )
}
