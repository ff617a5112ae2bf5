import { Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import { resolveWorkspace } from "../access/workspaceOfRequest.ts"
import { PrivateEndpoints } from "../ports/privateEndpoints.ts"
import { operation } from "../tracing/operation.ts"
import { Conflict } from "../value/failure.ts"
import {
  type CurrentPrivateEndpoint,
  deploymentOf,
  otherState,
  printedManaged,
  requirePrivateEndpoint,
  updated
} from "./privateEndpoint.ts"
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

/** Rule: models#private-endpoints. */
export const activatePrivateEndpoint = operation("activatePrivateEndpoint")(function* (
  { account_id }: Caller,
  id: string
) {
  const active = yield* activateEndpoint(account_id, yield* requirePrivateEndpoint(account_id, id))
  return yield* printedManaged(account_id, active)
})

/** Sets whether an endpoint that was activated is used. */
export const switchEndpoint = Effect.fnUntraced(function* (
  account_id: string,
  id: string,
  status: "active" | "disabled"
) {
  const isDraft = "The endpoint is a draft: validate and activate it first"
  const current = yield* requirePrivateEndpoint(account_id, id)
  // One whose provider moved is a draft until that moves back: then it must not be used.
  const { status: before } = status === "disabled" ? current.stored : current
  if (before === "draft") return yield* otherState(isDraft)
  const outcome = yield* (yield* PrivateEndpoints).update(
    account_id,
    id,
    { status },
    { status: ["active", "disabled"] }
  )
  return yield* updated(outcome, isDraft)
})

/** Rule: models#private-endpoints. */
export const disablePrivateEndpoint = operation("disablePrivateEndpoint")(function* (
  { account_id }: Caller,
  id: string
) {
  return yield* printedManaged(account_id, yield* switchEndpoint(account_id, id, "disabled"))
})

/** Rule: models#private-endpoints. */
export const enablePrivateEndpoint = operation("enablePrivateEndpoint")(function* ({ account_id }: Caller, id: string) {
  return yield* printedManaged(account_id, yield* switchEndpoint(account_id, id, "active"))
})

/** Rule: models#private-endpoints. */
export const validatePrivateEndpoint = operation("validatePrivateEndpoint")(function* (
  caller: Caller,
  id: string,
  workspace: string
) {
  const endpoint = yield* requirePrivateEndpoint(caller.account_id, id)
  return yield* validateEndpoint(
    caller.account_id,
    endpoint,
    yield* resolveWorkspace(caller, workspace, "workspace_id")
  )
})
