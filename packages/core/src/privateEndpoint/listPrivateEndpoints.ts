import type { Caller } from "../access/Caller.ts"
import { operation } from "../tracing/operation.ts"
import { printedSummaries } from "./printedPrivateEndpoint.ts"
import { PrivateEndpoints } from "../ports/privateEndpoints.ts"

/** Rule: models#private-endpoints. */
export const listPrivateEndpoints = operation("listPrivateEndpoints")(function* ({ account_id }: Caller) {
  return { data: yield* printedSummaries(account_id, yield* (yield* PrivateEndpoints).list(account_id)) }
})
