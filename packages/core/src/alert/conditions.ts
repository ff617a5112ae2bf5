/**
 * When a key or a destination is alerted of, and how long that stands. Functions of the database of the same names are held to these.
 *
 * Rule: alerts#crossings, alerts#alerts-for-a-new-channel.
 */
import { expiryDays, failingSeconds, refusingSeconds } from "../ports/alerts.ts"
import { refusalsUntilRefusing } from "../ports/deliveries.ts"
import { dayMillis } from "../value/calendar.ts"

/** How many days before its expiry a key is alerted of now; nothing if it is too early, or it was not made to live longer. Epoch milliseconds. */
export const expiryNotice = (created: number, expires: number, now: number): number | undefined =>
  expires <= now
    ? undefined
    : expiryDays.findLast((days) => expires - now <= days * dayMillis && expires - created > days * dayMillis)

/** Of a destination's deliveries, what tells whether it is dead. Epoch milliseconds. */
export interface DeliveryHealth {
  readonly is_open: boolean
  readonly due_at: number | null
  readonly failing_since: number | null
  readonly refusals: number
  readonly refusing_since: number | null
}

/** Since when a destination fails, or its platform refuses everything, if that is long enough for an alert. */
export const deadSince = (health: DeliveryHealth, now: number): number | undefined => {
  const { is_open, due_at, failing_since, refusals, refusing_since } = health
  if (is_open && due_at !== null && failing_since !== null && failing_since <= now - failingSeconds * 1_000)
    return failing_since
  const isRefusing = refusals >= refusalsUntilRefusing && refusing_since !== null
  return isRefusing && refusing_since <= now - refusingSeconds * 1_000 ? refusing_since : undefined
}
