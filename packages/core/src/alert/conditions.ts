/**
 * When a key or a destination is alerted of, and how long that stands: functions of the database of the same names are held to these. And
 * what becomes of a delivery that is due.
 *
 * Rule: alerts#crossings, alerts#alerts-for-a-new-channel, alerts#quiet-time.
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

/** Of the deliveries of the same type and subject to the channel of one that is due, within its quiet time. */
export interface AlikeDeliveries {
  readonly isTold: boolean
  readonly isUnderWay: boolean
}

export type DueDelivery =
  | { readonly kind: "sent" }
  | { readonly kind: "postponed" }
  | { readonly kind: "ended"; readonly status: "quiet" | "failed"; readonly message: string | null }

/** What becomes of a delivery that is due. `isEnabled`: its channel; `undefined` if that was deleted. One that was tried has none alike. */
export const judgeDue = (isEnabled: boolean | undefined, { isTold, isUnderWay }: AlikeDeliveries): DueDelivery => {
  if (isEnabled === undefined) return { kind: "ended", status: "failed", message: "The channel was deleted." }
  if (!isEnabled) return { kind: "ended", status: "failed", message: "The channel was disabled." }
  if (isTold) return { kind: "ended", status: "quiet", message: null }
  return isUnderWay ? { kind: "postponed" } : { kind: "sent" }
}
