import { type SelectedEvent, type UsageEvent, adjustmentTo, withAdjustments } from "../../ports/usage.ts"
import { spendersOf } from "../../ledger/budgetsOf.ts"
import { type Tables, eventPlace } from "./Tables.ts"
import type { Amounts } from "../../ledger/judgeHolds.ts"
import { type Entities, nothing, sum } from "./WindowSums.ts"

/** Finds what a map holds under a name, made where there was nothing. */
const inner = <V>(map: Map<string, V>, name: string, make: () => V): V => {
  const known = map.get(name)
  if (known !== undefined) return known
  const made = make()
  map.set(name, made)
  return made
}

/** Adds to all sums of spending. `charged_at`, in epoch milliseconds: the windows and the day of that instant are charged. */
export const addSpending = (
  { spent, spentByAccount, keyDays }: Tables,
  account_id: string,
  entities: Entities,
  charged_at: number,
  amounts: Amounts
): void => {
  spentByAccount.set(account_id, (spentByAccount.get(account_id) ?? 0n) + amounts.nanos)
  spent.add(account_id, entities, charged_at, amounts)
  if (entities.key === null) return
  const days = inner(keyDays, `${account_id} ${entities.key}`, () => new Map<string, Amounts>())
  const day = new Date(charged_at).toISOString().slice(0, 10)
  days.set(day, sum(days.get(day) ?? nothing, amounts))
}

const adjusted = (tables: Tables, account_id: string, event: UsageEvent): UsageEvent =>
  withAdjustments(event, tables.adjustments.get(eventPlace(account_id, event.id)) ?? [])

/** What was requested, and counts for. */
export const requestsWithAdjustments = (tables: Tables, account_id: string): readonly UsageEvent[] =>
  [...(tables.usageEvents.get(account_id)?.values() ?? [])]
    .filter(({ adjusts }) => adjusts === null)
    .map((event) => adjusted(tables, account_id, event))

/** The same of one request. */
export const requestWithAdjustments = (tables: Tables, account_id: string, id: string): UsageEvent | undefined => {
  const event = tables.usageEvents.get(account_id)?.get(id)
  return event === undefined || event.adjusts !== null ? undefined : adjusted(tables, account_id, event)
}

/** Notes an event for a store of usage beside this one, if there is one. */
export const noteOutgoing = ({ outgoingEvents }: Tables, account_id: string, id: string): void => {
  outgoingEvents.waiting?.set(++outgoingEvents.last, { account_id, id })
}

/**
 * Records an event with everything that is summed from events. The first of an id wins: `false`, and nothing changes, where the id
 * was recorded before. `charged_at`, in epoch milliseconds: the windows of that instant are charged. `selected`: where it is
 * delivered, and the bodies that are kept.
 */
export const recordEvent = (
  tables: Tables,
  account_id: string,
  event: UsageEvent,
  charged_at: number,
  selected?: SelectedEvent | undefined
): boolean => {
  const { usageEvents, deliveries, generationContents } = tables
  const events = inner(usageEvents, account_id, () => new Map<string, UsageEvent>())
  const isPast = Date.parse(event.created_at) < tables.usageHorizon.begins_at
  if (isPast || events.has(event.id) || tables.droppedUsage.get(account_id)?.has(event.id) === true) return false
  events.set(event.id, event)
  if (charged_at !== Date.parse(event.created_at))
    tables.chargedElsewhere.set(eventPlace(account_id, event.id), charged_at)
  noteOutgoing(tables, account_id, event.id)
  if (selected !== undefined) {
    const { sealed_content, ...delivery } = selected
    if (delivery.destinations.length > 0) deliveries.add(account_id, event, delivery)
    if (sealed_content !== null)
      generationContents.set(`${account_id} ${event.id}`, {
        account_id,
        workspace_id: event.workspace_id,
        event_id: event.id,
        recorded_at: Date.parse(event.recorded_at),
        sealed_bodies: sealed_content
      })
  }
  const { api_key_hash: key, user_id, workspace_id, cost_nanos: nanos, byok_cost_nanos: byok_nanos } = event
  addSpending(tables, account_id, spendersOf(key, user_id, workspace_id), charged_at, { nanos, byok_nanos })
  return true
}

/**
 * Records an adjustment as the difference that it makes. It is charged where its request was. `false`: the id was recorded before, or there
 * is no such request.
 */
export const recordAdjustment = (tables: Tables, account_id: string, stated: UsageEvent): boolean => {
  const request = stated.adjusts === null ? undefined : requestWithAdjustments(tables, account_id, stated.adjusts)
  if (request === undefined) return false
  const place = eventPlace(account_id, request.id)
  const adjustment = adjustmentTo(stated, request)
  const charged_at = tables.chargedElsewhere.get(place) ?? Date.parse(request.created_at)
  if (!recordEvent(tables, account_id, adjustment, charged_at)) return false
  tables.adjustments.set(place, [...(tables.adjustments.get(place) ?? []), adjustment])
  return true
}
