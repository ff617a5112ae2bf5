import type { SelectedEvent, UsageEvent } from "../../ports/usage.ts"
import { spendersOf } from "../../ledger/budgetsOf.ts"
import type { Tables } from "./Tables.ts"
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
  if (events.has(event.id)) return false
  events.set(event.id, event)
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
