import type { DeliveryState } from "../../ports/deliveries.ts"
import type { Tables } from "./Tables.ts"

/** What is kept of a destination for which something was recorded. */
export interface DeliveryRow extends DeliveryState {
  readonly token: number
  /** Everything up to here was delivered or passed over, and everything up to there was noticed. */
  readonly position: number
  readonly head: number
  readonly lease_until: number | null
  /** Of this destination, since it exists. */
  readonly attempts: number
}

/** A destination that was changed is tried again at once, if something waits for it; what waits for one that was deleted is removed. */
export const wakeDelivery = (tables: Tables, destination_id: string): void => {
  const row = tables.deliveryRows.get(destination_id)
  const isDeleted = !tables.destinations.has(destination_id)
  if (row !== undefined && (row.due_at !== null || isDeleted))
    tables.deliveryRows.set(destination_id, { ...row, due_at: Number.NEGATIVE_INFINITY })
  if (!isDeleted) return
  tables.deliveryAttempts.delete(destination_id)
  removeDeadLetters(tables, destination_id)
}

export const removeDeadLetters = (tables: Tables, destination_id: string): void => {
  for (const [key, letter] of tables.deadLetters)
    if (letter.destination_id === destination_id) tables.deadLetters.delete(key)
}
