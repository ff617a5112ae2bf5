/** Alerts and their deliveries in memory, and how one is recorded. */
import type { AlertKind } from "@gatewarden/contract"
import type { Alert } from "../../ports/alerts.ts"
import type { BudgetWarning } from "../../ports/ledger.ts"
import { printedBudgetState } from "../../ledger/readKeyBudgets.ts"
import { compareText } from "../../value/text.ts"
import { formatUsd } from "../../value/money.ts"
import { formatInstant } from "../../value/calendar.ts"
import type { Tables } from "./Tables.ts"

export interface DeliveryOfAlert {
  readonly channel_id: string
  /** When it became due first: with the alert, or with the channel. Epoch milliseconds. */
  readonly at: number
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
  /** What makes it another alert of the same subject. */
  readonly crossing: string
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
const hearing = (tables: Tables, { account_id, workspace_id, type }: Crossing) =>
  tables.alertChannels
    .ofAccount(account_id)
    .map(({ channel }) => channel)
    .filter((channel) => channel.workspace_id === workspace_id && channel.enabled && channel.events.includes(type))
    .sort((a, b) => compareText(a.id, b.id))

export const placeOfAlert = ({
  account_id,
  type,
  subject,
  crossing
}: Pick<Crossing, "account_id" | "type" | "subject" | "crossing">): string =>
  JSON.stringify([account_id, type, subject, crossing])

const newDelivery = (channel_id: string, now: number): DeliveryOfAlert => ({
  channel_id,
  at: now,
  status: "waiting",
  attempts: 0,
  token: 0,
  due_at: now,
  last_at: null,
  last_status: null,
  last_message: null
})

const record = (tables: Tables, crossed: Crossing, channels: readonly string[], now: number): void => {
  const { crossing, account_id, ...facts } = crossed
  tables.alerts.set(placeOfAlert(crossed), {
    account_id,
    alert: { id: crypto.randomUUID(), ...facts, created_at: formatInstant(now) },
    crossing,
    at: now,
    deliveries: channels.map((id) => newDelivery(id, now))
  })
}

/** Whether it is a new one that somebody hears of. */
export const isNew = (tables: Tables, crossing: Crossing): boolean =>
  hearing(tables, crossing).length > 0 && !tables.alerts.has(placeOfAlert(crossing))

/** Records it if it is new, and answers whether it was. */
export const raiseAlert = (tables: Tables, crossing: Crossing, now: number): boolean => {
  if (!isNew(tables, crossing)) return false
  record(
    tables,
    crossing,
    hearing(tables, crossing).map(({ id }) => id),
    now
  )
  return true
}

export const addDelivery = ({ deliveries }: AlertRow, channel_id: string, now: number): void => {
  deliveries.push(newDelivery(channel_id, now))
  deliveries.sort((a, b) => compareText(a.channel_id, b.channel_id))
}

/** Tells one channel of a crossing, whether others were told of it or not. */
export const notifyChannel = (tables: Tables, crossing: Crossing, channel_id: string, now: number): void => {
  const row = tables.alerts.get(placeOfAlert(crossing))
  if (row === undefined) record(tables, crossing, [channel_id], now)
  else addDelivery(row, channel_id, now)
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
