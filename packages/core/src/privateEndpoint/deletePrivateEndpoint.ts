import { Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import { type PrivateEndpointGuard, PrivateEndpoints } from "../ports/privateEndpoints.ts"
import { otherState, requirePrivateEndpoint } from "./requirePrivateEndpoint.ts"

/** Guards a removal to what is a draft now; 409 with the message for what is none. */
const asDraft = Effect.fnUntraced(function* (account_id: string, id: string, message: string) {
  const { stored, status } = yield* requirePrivateEndpoint(account_id, id)
  if (status !== "draft") return yield* otherState(message)
  const guard: PrivateEndpointGuard = {
    status: [stored.status],
    ...(stored.validated === null ? {} : { validated: stored.validated })
  }
  return guard
})

/** Rule: models#private-endpoints. */
export const deletePrivateEndpoint = operation("deletePrivateEndpoint")(function* (
  { account_id }: Caller,
  id: string,
  draft_only: boolean
) {
  const noDraft = "The endpoint is no draft, and draft_only is true"
  const endpoints = yield* PrivateEndpoints
  const guard = draft_only ? yield* asDraft(account_id, id, noDraft) : {}
  const outcome = yield* endpoints.remove(account_id, id, guard)
  if (outcome === "missing") return yield* notFound()
  return outcome === "refused" ? yield* otherState(noDraft) : { id }
})
