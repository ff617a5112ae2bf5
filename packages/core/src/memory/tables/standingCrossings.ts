/** Crossings that hold now, and how a new channel is told of them. Rule: alerts#alerts-for-a-new-channel. */
import {
  type ChannelFields,
  expiryDays,
  failingSeconds,
  refusingSeconds,
  standingCrossings
} from "../../ports/alerts.ts"
import { refusalsUntilRefusing } from "../../ports/deliveries.ts"
import { type Budget, type BudgetWarning, warningKinds } from "../../ports/ledger.ts"
import { windowStart } from "../../ledger/LedgerClock.ts"
import { parseUsd } from "../../value/money.ts"
import { formatInstant } from "../../value/calendar.ts"
import { type Crossing, crossingOf, placeOfAlert, tellChannel } from "./raiseAlert.ts"
import { budgetPlace, type Tables } from "./Tables.ts"

const dayMillis = 86_400_000

/** Keys that expire within a week or a day, and were made to live longer. */
export const expiringKeys = (tables: Tables, now: number): readonly Crossing[] =>
  [...tables.apiKeys.values()].flatMap((key): readonly Crossing[] => {
    const { account_id, workspace_id, hash, name, expires_at, created_at } = key
    if (key.kind !== "normal" || workspace_id === null || expires_at === null || key.disabled) return []
    const [end, begin] = [Date.parse(expires_at), Date.parse(created_at)]
    if (end <= now || key.revoked_at !== null) return []
    const days = expiryDays.findLast((days) => end - now <= days * dayMillis && end - begin > days * dayMillis)
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

/** Destinations that fail for an hour, and those of whose events one died today. */
export const deadDestinations = (tables: Tables, now: number): readonly Crossing[] =>
  [...tables.destinations.values()].flatMap(({ account_id, destination }): readonly Crossing[] => {
    const { id, workspace_id, type, name } = destination
    const facts = { destination_id: id, destination_type: type, destination_name: name }
    const about = { account_id, workspace_id, subject: id }
    const state = tables.deliveryRows.get(id)
    const today = formatInstant(now).slice(0, 10)
    const letters = [...tables.deadLetters.values()].filter(({ destination_id }) => destination_id === id)
    const found: Crossing[] = []
    const isFailing =
      state?.is_open === true &&
      state.due_at !== null &&
      state.failing_since !== null &&
      state.failing_since <= now - failingSeconds * 1_000
    const isRefusing =
      state !== undefined &&
      state.refusals >= refusalsUntilRefusing &&
      state.refusing_since !== null &&
      state.refusing_since <= now - refusingSeconds * 1_000
    const since = isFailing ? state.failing_since : isRefusing ? state.refusing_since : null
    if (destination.enabled && state !== undefined && since !== null)
      found.push({
        ...about,
        type: "destination.failing",
        crossing: String(since),
        data: { ...facts, failing_since: formatInstant(since), last_status: state.last_status }
      })
    if (letters.some(({ died_at }) => died_at >= Date.parse(today)))
      found.push({ ...about, type: "destination.dead_letters", crossing: today, data: { ...facts, day: today } })
    return found
  })

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
    .slice(0, standingCrossings)
    .map((warning) => crossingOf(account_id, warning))
}

/** Tells a new channel of what still holds. What nobody was told of yet, beside budgets, is detected and told to all. */
export const tellStanding = (tables: Tables, account_id: string, channel: ChannelFields, now: number): void => {
  if (!channel.enabled) return
  const recorded = [...expiringKeys(tables, now), ...deadDestinations(tables, now)]
    .filter(
      (crossing) =>
        crossing.account_id === account_id &&
        crossing.workspace_id === channel.workspace_id &&
        channel.events.includes(crossing.type) &&
        tables.alerts.has(placeOfAlert(crossing))
    )
    .slice(0, standingCrossings)
  for (const crossing of [...standingBudgets(tables, account_id, channel, now), ...recorded])
    tellChannel(tables, crossing, channel.id, now)
}
