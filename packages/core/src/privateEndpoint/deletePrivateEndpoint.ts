import type { Caller } from "../access/Caller.ts"
import { notFound } from "../failure.ts"
import { operation } from "../tracing/operation.ts"
import { PrivateEndpoints } from "./PrivateEndpoints.ts"
import { otherState } from "./requirePrivateEndpoint.ts"

/** Rule: models#private-endpoints. */
export const deletePrivateEndpoint = operation("deletePrivateEndpoint")(function* (
  { account_id }: Caller,
  id: string,
  draft_only: boolean
) {
  const outcome = yield* (yield* PrivateEndpoints).remove(account_id, id, draft_only)
  if (outcome === "missing") return yield* notFound()
  return outcome === "refused" ? yield* otherState("The endpoint was activated, and draft_only is true") : { id }
})
