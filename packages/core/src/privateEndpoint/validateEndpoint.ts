import { Effect } from "effect"
import { deploymentOf } from "./deployment.ts"
import { PrivateEndpoints } from "../ports/privateEndpoints.ts"
import { type CurrentPrivateEndpoint, otherState, updated } from "./requirePrivateEndpoint.ts"
import { testDeployment } from "./testDeployment.ts"

export const notDraft = "The endpoint is no draft"

/** Tests a draft and notes for which deployment it passed, unless the draft changed meanwhile. */
export const validateEndpoint = Effect.fnUntraced(function* (
  account_id: string,
  { stored, status, address }: CurrentPrivateEndpoint,
  workspace_id: string
) {
  const { id, provider_slug, base_url, upstream_model_id } = stored
  if (status !== "draft") return yield* otherState(notDraft)
  if (address === undefined) return yield* otherState("The private provider of the endpoint was deleted")
  const validation = yield* testDeployment(account_id, workspace_id, provider_slug, address, upstream_model_id)
  const outcome = yield* (yield* PrivateEndpoints).update(
    account_id,
    id,
    // One that was active before its provider moved is activated anew.
    { status, validated: validation.passed ? deploymentOf(address, upstream_model_id) : null },
    { status: [stored.status], deployment: { base_url, upstream_model_id } }
  )
  yield* updated(outcome, "The endpoint changed while it was tested: test it again")
  return validation
})
