import type { Delivery, listDeliveries as declaration, QueryOf } from "@gatewarden/contract"
import { Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { Destinations } from "../ports/destinations.ts"
import { operation } from "../tracing/operation.ts"
import { formatInstant } from "../value/timestamp.ts"
import { DeliveryLog, type LoggedAttempt } from "../ports/deliveries.ts"
import { deliveryStatus } from "./deliveryStatus.ts"

const deliveryOf = ({ ended_at, ...attempt }: LoggedAttempt): Delivery => ({
  ...attempt,
  ended_at: formatInstant(ended_at)
})

/** Rule: observability#delivery-log. */
export const listDeliveries = operation("listDeliveries")(function* (
  { account_id }: Caller,
  id: string,
  page: QueryOf<typeof declaration>
) {
  const found = yield* (yield* Destinations).find(account_id, id)
  if (Option.isNone(found)) return yield* notFound()
  const { data, total_count } = yield* (yield* DeliveryLog).attempts(account_id, id, page)
  return { data: data.map(deliveryOf), total_count, status: yield* deliveryStatus(account_id, found.value) }
})
