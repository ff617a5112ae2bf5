import type { Delivery, DeliveryStatus, listDeliveries as declaration, QueryOf } from "@gatewarden/contract"
import { Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { notFound } from "../failure.ts"
import { Destinations } from "../observability/Destinations.ts"
import { operation } from "../tracing/operation.ts"
import { formatInstant } from "../value/timestamp.ts"
import { DeliveryLog, type LoggedAttempt, type WaitingEvents } from "./DeliveryLog.ts"
import { DeliveryQueue, type DeliveryState } from "./DeliveryQueue.ts"

const instantOf = (millis: number | null | undefined): string | null => (millis == null ? null : formatInstant(millis))

const deliveryOf = ({ ended_at, ...attempt }: LoggedAttempt): Delivery => ({
  ...attempt,
  ended_at: formatInstant(ended_at)
})

/** The position is not shown: it tells how many transactions the installation has made. */
const statusOf = (state: DeliveryState | undefined, { waiting, oldest_at }: WaitingEvents): DeliveryStatus => ({
  circuit: state?.is_open === true ? "open" : "closed",
  waiting,
  oldest_waiting_at: instantOf(oldest_at),
  failures: state?.failures ?? 0,
  failing_since: instantOf(state?.failing_since),
  next_attempt_at: waiting === 0 ? null : instantOf(state?.due_at),
  last_attempt_at: instantOf(state?.last_at),
  last_delivered_at: instantOf(state?.delivered_at),
  delivered: state?.delivered ?? 0,
  dead: state?.dead ?? 0
})

/** Rule: observability#delivery-log. */
export const listDeliveries = operation("listDeliveries")(function* (
  { account_id }: Caller,
  id: string,
  page: QueryOf<typeof declaration>
) {
  if (Option.isNone(yield* (yield* Destinations).find(account_id, id))) return yield* notFound()
  const log = yield* DeliveryLog
  const { data, total_count } = yield* log.attempts(account_id, id, page)
  const state = yield* (yield* DeliveryQueue).stateOf(account_id, id)
  const waiting = yield* log.waiting(account_id, id)
  return { data: data.map(deliveryOf), total_count, status: statusOf(Option.getOrUndefined(state), waiting) }
})
