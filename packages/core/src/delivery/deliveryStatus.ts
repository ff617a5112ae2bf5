/** How a destination is doing, and what waits for it. Rule: observability#delivery-log. */
import type { DeliveryStatus } from "@gatewarden/contract"
import { Effect, Option } from "effect"
import type { StoredDestination } from "../ports/destinations.ts"
import { formatInstant } from "../value/timestamp.ts"
import {
  DeliveryLog,
  DeliveryQueue,
  type DeliveryState,
  type WaitingEvents,
  refusalsUntilRefusing
} from "../ports/deliveries.ts"

const instantOf = (millis: number | null | undefined): string | null => (millis == null ? null : formatInstant(millis))

/** The position is not shown: it tells how many transactions the installation has made. */
const statusOf = (
  { receives_since }: StoredDestination,
  state: DeliveryState | undefined,
  { waiting, oldest_at }: WaitingEvents
): DeliveryStatus => ({
  state: (state?.refusals ?? 0) >= refusalsUntilRefusing ? "refusing" : (state?.failures ?? 0) > 0 ? "failing" : "ok",
  refusing_since: instantOf(state?.refusing_since),
  circuit: state?.is_open === true ? "open" : "closed",
  waiting,
  oldest_waiting_at: instantOf(oldest_at),
  failures: state?.failures ?? 0,
  failing_since: instantOf(state?.failing_since),
  next_attempt_at: waiting === 0 ? null : instantOf(state?.due_at),
  last_attempt_at: instantOf(state?.last_at),
  last_delivered_at: instantOf(state?.delivered_at),
  receives_since: instantOf(receives_since),
  delivered: state?.delivered ?? 0,
  dead: state?.dead ?? 0
})

export const deliveryStatus = Effect.fnUntraced(function* (account_id: string, stored: StoredDestination) {
  const { id } = stored.destination
  const state = yield* (yield* DeliveryQueue).stateOf(account_id, id)
  const waiting = yield* (yield* DeliveryLog).waiting(account_id, id)
  return statusOf(stored, Option.getOrUndefined(state), waiting)
})
