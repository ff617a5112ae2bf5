import { Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import { Destinations } from "../ports/destinations.ts"

/** Rule: observability#masked-configs. */
export const getDestination = operation("getDestination")(function* (caller: Caller, id: string) {
  const found = yield* (yield* Destinations).find(caller.account_id, id)
  return Option.isSome(found) ? found.value.destination : yield* notFound()
})
