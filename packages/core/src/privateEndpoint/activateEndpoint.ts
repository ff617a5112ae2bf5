import { Effect } from "effect"
import { Conflict } from "../value/failure.ts"
import { deploymentOf } from "./deployment.ts"
import { PrivateEndpoints } from "../ports/privateEndpoints.ts"
import { type CurrentPrivateEndpoint, otherState, updated } from "./requirePrivateEndpoint.ts"
import { notDraft } from "./validateEndpoint.ts"

export const unvalidated = (path: string, ...messages: readonly string[]) =>
  new Conflict({
    reason: "private_endpoint_unvalidated",
    issues: messages.map((message) => ({ path, code: "private_endpoint_unvalidated", message }))
  })

/** Makes a draft active whose validation passed for the deployment that it is now. */
export const activateEndpoint = Effect.fnUntraced(function* (
  account_id: string,
  { stored, status, address }: CurrentPrivateEndpoint
) {
  if (status !== "draft") return yield* otherState(notDraft)
  const { id, upstream_model_id, validated } = stored
  if (validated === null) return yield* unvalidated("params.id", "No validation of the endpoint has passed")
  if (address === undefined || validated !== deploymentOf(address, upstream_model_id))
    return yield* unvalidated("params.id", "The deployment changed after it was validated")
  const outcome = yield* (yield* PrivateEndpoints).update(
    account_id,
    id,
    { status: "active" },
    { status: [stored.status], validated }
  )
  return yield* updated(outcome, "The endpoint changed meanwhile")
})
