import type { listDeadLetters as declaration, QueryOf } from "@gatewarden/contract"
import { Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { Destinations } from "../ports/destinations.ts"
import { operation } from "../tracing/operation.ts"
import { formatInstant } from "../value/timestamp.ts"
import { DeadLetters } from "../ports/deliveries.ts"

/** Rule: observability#dead-letters. */
export const listDeadLetters = operation("listDeadLetters")(function* (
  { account_id }: Caller,
  id: string,
  page: QueryOf<typeof declaration>
) {
  if (Option.isNone(yield* (yield* Destinations).find(account_id, id))) return yield* notFound()
  const { data, total_count } = yield* (yield* DeadLetters).list(account_id, id, page)
  return {
    data: data.map(({ event_id, died_at, status, message }) => ({
      event_id,
      died_at: formatInstant(died_at),
      status,
      message
    })),
    total_count
  }
})
