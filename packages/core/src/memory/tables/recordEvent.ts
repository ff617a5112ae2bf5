import type { UsageEvent } from "../../usage/UsageEvent.ts"
import type { Tables } from "./Tables.ts"
import { type Amounts, nothing, sum } from "./WindowSums.ts"

/** Finds what a map holds under a name, made where there was nothing. */
const inner = <V>(map: Map<string, V>, name: string, make: () => V): V => {
  const known = map.get(name)
  if (known !== undefined) return known
  const made = make()
  map.set(name, made)
  return made
}

/**
 * Records an event with everything that is summed from events. The first of an id wins: `false`, and nothing changes, where the id
 * was recorded before. `charged_at`, in epoch milliseconds: the windows of that instant are charged.
 */
export const recordEvent = (
  { usageEvents, spent, keyDays }: Tables,
  account_id: string,
  event: UsageEvent,
  charged_at: number
): boolean => {
  const events = inner(usageEvents, account_id, () => new Map<string, UsageEvent>())
  if (events.has(event.id)) return false
  events.set(event.id, event)
  const {
    api_key_hash: key,
    user_id: user,
    workspace_id: workspace,
    cost_nanos: nanos,
    byok_cost_nanos: byok_nanos
  } = event
  const amounts: Amounts = { nanos, byok_nanos }
  spent.add(account_id, { key, user, workspace }, charged_at, amounts)
  if (key !== null) {
    const days = inner(keyDays, `${account_id} ${key}`, () => new Map<string, Amounts>())
    const day = new Date(charged_at).toISOString().slice(0, 10)
    days.set(day, sum(days.get(day) ?? nothing, amounts))
  }
  return true
}
