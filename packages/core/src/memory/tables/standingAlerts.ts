/** Crossings that hold now, and how a new channel is told of them. Rule: alerts#alerts-for-a-new-channel. */
import { deadSince, expiryNotice } from "../../alert/conditions.ts"
import { windowStart } from "../../ledger/LedgerClock.ts"
import { type ChannelFields, maxStandingAlerts } from "../../ports/alerts.ts"
import { type Budget, type BudgetWarning, warningKinds } from "../../ports/ledger.ts"
import { formatInstant } from "../../value/calendar.ts"
import { parseUsd } from "../../value/money.ts"
import { type AlertRow, type Crossing, addDelivery, crossingOf, notifyChannel } from "./raiseAlert.ts"
import { budgetPlace, type Tables } from "./Tables.ts"

/** Keys that expire soon. */
export const expiringKeys = (tables: Tables, now: number): readonly Crossing[] =>
  [...tables.apiKeys.values()].flatMap((key): readonly Crossing[] => {
    const { account_id, workspace_id, hash, name, expires_at, created_at } = key
    if (key.kind !== "normal" || workspace_id === null || expires_at === null) return []
    if (key.disabled || key.revoked_at !== null) return []
    const end = Date.parse(expires_at)
    const days = expiryNotice(Date.parse(created_at), end, now)
    return days === undefined
      ? []
      : [
          {
            account_id,
            workspace_id,
            type: "key.expiring",
            subject: hash,
            crossing: `${days}:${end}`,
            data: { key_hash: hash, key_name: name, expires_at: formatInstant(end), days }
          }
        ]
  })

const utcDay = (now: number): string => formatInstant(now).slice(0, 10)

/** Destinations that are dead, and those of whose events one died today. */
export const deadDestinations = (tables: Tables, now: number): readonly Crossing[] =>
  [...tables.destinations.values()].flatMap(({ account_id, destination }): readonly Crossing[] => {
    const { id, workspace_id, type, name } = destination
    const facts = { destination_id: id, destination_type: type, destination_name: name }
    const about = { account_id, workspace_id, subject: id }
    const state = tables.deliveryRows.get(id)
    const day = utcDay(now)
    const letters = [...tables.deadLetters.values()].filter(({ destination_id }) => destination_id === id)
    const found: Crossing[] = []
    const since = state && deadSince(state, now)
    if (destination.enabled && since !== undefined)
      found.push({
        ...about,
        type: "destination.failing",
        crossing: String(since),
        data: { ...facts, failing_since: formatInstant(since), last_status: state?.last_status ?? null }
      })
    if (letters.some(({ died_at }) => died_at >= Date.parse(day)))
      found.push({ ...about, type: "destination.dead_letters", crossing: day, data: { ...facts, day } })
    return found
  })

/** While a destination goes on failing, the alert of it is the one that would be given again. */
export const isStillFailing = (tables: Tables, { account_id, alert, crossing }: AlertRow): boolean => {
  const state = tables.deliveryRows.get(alert.subject)
  return (
    alert.type === "destination.failing" &&
    state?.account_id === account_id &&
    [state.failing_since, state.refusing_since].some((since) => since !== null && crossing === String(since))
  )
}

/** Whether what an alert tells, of a key or a destination, is still so. */
const holdsStill = (tables: Tables, row: AlertRow, now: number): boolean => {
  const { account_id, alert, crossing } = row
  if (alert.type === "destination.failing")
    return isStillFailing(tables, row) && tables.destinations.get(alert.subject)?.destination.enabled === true
  if (alert.type === "destination.dead_letters") return crossing === utcDay(now)
  const key = alert.type === "key.expiring" ? tables.apiKeys.get(alert.subject) : undefined
  if (key?.account_id !== account_id || key.expires_at === null || key.disabled || key.revoked_at !== null) return false
  const end = Date.parse(key.expires_at)
  return end > now && crossing.split(":")[1] === String(end)
}

/** The limit in USD and the interval that a budget has now. */
const currentLimit = (tables: Tables, { scope, entity, guardrail_id, interval }: Budget) => {
  if (scope === "key_limit") {
    const key = tables.apiKeys.get(entity)
    return [key?.limit, key?.limit_reset]
  }
  if (scope === "workspace_budget")
    return [tables.workspaceBudgets.get(budgetPlace(entity, interval))?.limit_usd, interval]
  const guardrail = tables.guardrails.get(guardrail_id ?? "")
  return [guardrail?.limit_usd, guardrail?.reset_interval]
}

const stands = (tables: Tables, { budget, window_start }: BudgetWarning, now: number): boolean => {
  const [limit, interval] = currentLimit(tables, budget)
  return (
    typeof limit === "number" &&
    parseUsd(limit) === budget.limit_nanos &&
    (interval ?? "lifetime") === budget.interval &&
    windowStart(budget.interval, now) === window_start
  )
}

/** Of each budget the highest threshold that the channel hears of, the latest ones. */
const standingBudgets = (
  tables: Tables,
  account_id: string,
  { workspace_id, events }: ChannelFields,
  now: number
): readonly Crossing[] => {
  const highest = new Map<string, BudgetWarning>()
  for (const warning of tables.budgetWarnings.values()) {
    if (warning.account_id !== account_id || warning.workspace_id !== workspace_id) continue
    if (!events.includes(`budget.${warning.kind}`) || !stands(tables, warning, now)) continue
    const { subject } = crossingOf(account_id, warning)
    const other = highest.get(subject)
    if (other === undefined || warningKinds.indexOf(warning.kind) > warningKinds.indexOf(other.kind))
      highest.set(subject, warning)
  }
  return [...highest.values()]
    .sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at))
    .slice(0, maxStandingAlerts)
    .map((warning) => crossingOf(account_id, warning))
}

/** Of each key and destination the latest alert that still holds, the latest ones. */
const standingAlerts = (
  tables: Tables,
  account_id: string,
  { workspace_id, events }: ChannelFields,
  now: number
): readonly AlertRow[] => {
  const latest = new Map<string, AlertRow>()
  for (const row of tables.alerts.values()) {
    if (row.account_id !== account_id || row.alert.workspace_id !== workspace_id) continue
    if (!events.includes(row.alert.type) || !holdsStill(tables, row, now)) continue
    const about = `${row.alert.type} ${row.alert.subject}`
    if (row.at >= (latest.get(about)?.at ?? -Infinity)) latest.set(about, row)
  }
  return [...latest.values()].sort((a, b) => b.at - a.at).slice(0, maxStandingAlerts)
}

/** Tells a new channel of what still holds. What nobody was told of yet, beside budgets, is detected and told to all. */
export const notifyOfStanding = (tables: Tables, account_id: string, channel: ChannelFields, now: number): void => {
  if (!channel.enabled) return
  const standing = standingAlerts(tables, account_id, channel, now)
  for (const crossing of standingBudgets(tables, account_id, channel, now))
    notifyChannel(tables, crossing, channel.id, now)
  for (const row of standing) addDelivery(row, channel.id, now)
}
