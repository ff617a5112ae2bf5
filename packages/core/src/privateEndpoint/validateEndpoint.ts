import { Effect, Option } from "effect"
import { baseUrlOf, deploymentOf } from "./deployment.ts"
import { PrivateEndpoints, type StoredPrivateEndpoint } from "./PrivateEndpoints.ts"
import { PrivateProviders } from "./PrivateProviders.ts"
import { otherState, updated } from "./requirePrivateEndpoint.ts"
import { testDeployment } from "./testDeployment.ts"

export const notDraft = "The endpoint is no draft"

/** The address of the endpoint; undefined if its private provider is gone. */
export const addressOf = Effect.fnUntraced(function* (account_id: string, endpoint: StoredPrivateEndpoint) {
  const provider = yield* (yield* PrivateProviders).find(account_id, endpoint.provider_slug)
  return baseUrlOf(endpoint, Option.getOrUndefined(provider))
})

/** Tests a draft and notes for which deployment it passed, unless the draft changed meanwhile. */
export const validateEndpoint = Effect.fnUntraced(function* (
  account_id: string,
  endpoint: StoredPrivateEndpoint,
  workspace_id: string
) {
  const { id, provider_slug, base_url, upstream_model_id } = endpoint
  if (endpoint.status !== "draft") return yield* otherState(notDraft)
  const address = yield* addressOf(account_id, endpoint)
  if (address === undefined) return yield* otherState("The private provider of the endpoint was deleted")
  const validation = yield* testDeployment(account_id, workspace_id, provider_slug, address, upstream_model_id)
  const outcome = yield* (yield* PrivateEndpoints).update(
    account_id,
    id,
    { validated: validation.passed ? deploymentOf(address, upstream_model_id) : null },
    { status: ["draft"], deployment: { base_url, upstream_model_id } }
  )
  yield* updated(outcome, "The endpoint changed while it was tested: test it again")
  return validation
})
