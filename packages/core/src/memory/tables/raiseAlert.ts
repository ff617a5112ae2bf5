/** Alerts and their deliveries in memory, and how one is recorded. */
import type { AlertKind } from "@gatewarden/contract"
import type { Alert } from "../../alert/Alerts.ts"
import type { BudgetWarning } from "../../ledger/BudgetWarning.ts"
import { printedBudgetState } from "../../ledger/printedBudgetState.ts"
import { compareText } from "../../value/compareText.ts"
import { formatUsd } from "../../value/money.ts"
import { formatInstant } from "../../value/timestamp.ts"
import type { Tables } from "./Tables.ts"

export interface DeliveryOfAlert {
  readonly channel_id: string
  readonly status: "waiting" | "delivered" | "quiet" | "failed"
  readonly attempts: number
  /** 0 until it is claimed. */
  readonly token: number
  readonly due_at: number
  readonly last_at: number | null
  readonly last_status: number | null
  readonly last_message: string | null
}

export interface AlertRow {
  readonly account_id: string
  readonly alert: Alert
  /** Epoch milliseconds. */
  readonly at: number
  readonly deliveries: DeliveryOfAlert[]
}

export interface Crossing {
  readonly account_id: string
  readonly workspace_id: string
  readonly type: AlertKind
  readonly subject: string
  /** What makes it another crossing of the same subject. */
  readonly crossing: string
  readonly data: Readonly<Record<string, unknown>>
}

/** The channels that hear a kind. */
export const hearing = (tables: Tables, account_id: string, workspace_id: string, type: AlertKind) =>
  tables.alertChannels
    .ofAccount(account_id)
    .map(({ channel }) => channel)
    .filter((channel) => channel.workspace_id === workspace_id && channel.enabled && channel.events.includes(type))
    .sort((a, b) => compareText(a.id, b.id))

/** Whether it is a new one that somebody hears of. */
export const raiseAlert = (tables: Tables, { crossing, account_id, ...facts }: Crossing, now: number): boolean => {
  const channels = hearing(tables, account_id, facts.workspace_id, facts.type)
  const place = JSON.stringify([account_id, facts.type, facts.subject, crossing])
  if (channels.length === 0 || tables.alerts.has(place)) return false
  tables.alerts.set(place, {
    account_id,
    alert: { id: crypto.randomUUID(), ...facts, created_at: formatInstant(now) },
    at: now,
    deliveries: channels.map(({ id }) => ({
      channel_id: id,
      status: "waiting",
      attempts: 0,
      token: 0,
      due_at: now,
      last_at: null,
      last_status: null,
      last_message: null
    }))
  })
  return true
}

/** The alert of a budget warning. */
export const crossingOf = (account_id: string, warning: BudgetWarning): Crossing => {
  const { scope, entity, guardrail_id, interval, limit_nanos } = warning.budget
  return {
    account_id,
    workspace_id: warning.workspace_id,
    type: `budget.${warning.kind}`,
    subject: [scope, ...(guardrail_id === null ? [] : [guardrail_id]), entity, interval].join(":"),
    crossing: `${warning.window_start ?? "lifetime"}:${limit_nanos}`,
    data: {
      ...printedBudgetState(warning),
      held_usd: warning.held_nanos === null ? null : formatUsd(warning.held_nanos)
    }
  }
}
