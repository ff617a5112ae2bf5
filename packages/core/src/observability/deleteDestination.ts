import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import { Destinations } from "../ports/destinations.ts"

/** Rule: observability#deleted-destinations. */
export const deleteDestination = operation("deleteDestination")(function* (caller: Caller, id: string) {
  if (!(yield* (yield* Destinations).remove(caller.account_id, id))) return yield* notFound()
  return { deleted: true as const }
})
