import {
  type CreatePrivateEndpoint,
  type PrivateEndpointPricing,
  type UpdatePrivateEndpoint,
  privateEndpointsPerAccount,
  validatePrivateEndpoint
} from "@gatewarden/contract/internal"
import { Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import { resolveWorkspace } from "../access/workspaceOfRequest.ts"
import type { VisibleModel } from "../catalog/ownModels.ts"
import { consumeNamed } from "../limits/rateLimits.ts"
import { Entropy } from "../platform/Entropy.ts"
import { readModel } from "../ports/models.ts"
import { type PrivateEndpointGuard, PrivateEndpoints, type StoredPrivateEndpoint } from "../ports/privateEndpoints.ts"
import { operation } from "../tracing/operation.ts"
import { timestamp } from "../value/calendar.ts"
import { NotFound, invalid, notFound } from "../value/failure.ts"
import {
  otherState,
  printedManaged,
  printedPrivateEndpoint,
  printedSummaries,
  requireDeploymentUrl,
  requirePrivateEndpoint,
  updated
} from "./privateEndpoint.ts"
import { requireUpstreamProvider } from "./providers.ts"
import { activateEndpoint, notDraft, unvalidated, validateEndpoint } from "./states.ts"

/** The prices of the model's first endpoint, where the request names none. */
const listPrices = ({ endpoints }: VisibleModel): PrivateEndpointPricing | undefined => {
  const { prompt, completion } = endpoints[0]?.pricing ?? {}
  return prompt === undefined || completion === undefined || prompt.startsWith("-") || completion.startsWith("-")
    ? undefined
    : { prompt, completion }
}

const unknownModel = () =>
  new NotFound({
    reason: "unknown_model",
    issues: [
      { path: "model_permaslug", code: "unknown_model", message: "The account sees no such model with an endpoint" }
    ]
  })

const tooMany = () =>
  invalid("quota_exceeded", "", `An account has at most ${privateEndpointsPerAccount} private endpoints`)

/** Rule: models#private-endpoints. */
export const createPrivateEndpoint = operation("createPrivateEndpoint")(function* (
  caller: Caller,
  { activate, ...fields }: CreatePrivateEndpoint,
  headers: Record<string, string>
) {
  const { account_id } = caller
  const { model_permaslug, provider_slug, base_url } = fields
  const workspace_id = activate && (yield* resolveWorkspace(caller, activate.workspace_id, "activate.workspace_id"))
  const model = yield* readModel(account_id, model_permaslug)
  if (model === undefined || model.endpoints.length === 0) return yield* unknownModel()
  const { provider, provider_name } = yield* requireUpstreamProvider(caller, provider_slug)
  yield* requireDeploymentUrl(base_url, "base_url")
  if (base_url === undefined && provider === undefined)
    return yield* invalid("invalid_request", "base_url", "Required, unless the provider is a private one")
  const pricing = fields.pricing ?? listPrices(model)
  if (pricing === undefined)
    return yield* invalid("invalid_request", "pricing", "Required, because the catalog has no prices of the model")
  // A draft is no call.
  if (workspace_id !== undefined) yield* consumeNamed(validatePrivateEndpoint.rateLimits, caller, headers)
  const endpoint: StoredPrivateEndpoint = {
    id: (yield* Entropy).uuid(),
    model_permaslug: model.canonical_slug,
    provider_slug,
    provider_name,
    upstream_model_id: fields.upstream_model_id,
    base_url: base_url ?? null,
    declared_region: fields.declared_region ?? null,
    declared_zdr: fields.declared_zdr ?? null,
    pricing,
    status: "draft",
    validated: null,
    created_at: yield* timestamp
  }
  const how = { limit: privateEndpointsPerAccount, under: provider?.slug }
  const outcome = yield* (yield* PrivateEndpoints).insert(account_id, endpoint, how)
  if (outcome === "full") return yield* tooMany()
  if (outcome === "missing")
    return yield* invalid("unknown_provider", "provider_slug", "The private provider was deleted")
  if (workspace_id === undefined) return yield* printedManaged(account_id, endpoint)
  return yield* printedManaged(account_id, yield* validatedAndActive(account_id, endpoint.id, workspace_id))
})

/** The draft stays where a check fails: the answer names it. */
const validatedAndActive = Effect.fnUntraced(function* (account_id: string, id: string, workspace_id: string) {
  const endpoint = yield* requirePrivateEndpoint(account_id, id)
  const { passed, checks } = yield* validateEndpoint(account_id, endpoint, workspace_id)
  if (passed) return yield* activateEndpoint(account_id, yield* requirePrivateEndpoint(account_id, id))
  const failed = checks.filter((check) => !check.passed)
  return yield* unvalidated(
    "activate",
    `The endpoint ${id} stays a draft`,
    ...failed.map(({ name, reason }) => `${name}: ${reason ?? "failed"}`)
  )
})

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

/** Rule: models#private-endpoints. */
export const getPrivateEndpoint = operation("getPrivateEndpoint")(function* ({ account_id }: Caller, id: string) {
  return yield* printedPrivateEndpoint(account_id, (yield* requirePrivateEndpoint(account_id, id)).stored)
})

/** Rule: models#private-endpoints. */
export const listPrivateEndpoints = operation("listPrivateEndpoints")(function* ({ account_id }: Caller) {
  return { data: yield* printedSummaries(account_id, yield* (yield* PrivateEndpoints).list(account_id)) }
})

/** Rule: models#private-endpoints. */
export const updatePrivateEndpoint = operation("updatePrivateEndpoint")(function* (
  { account_id }: Caller,
  id: string,
  { upstream_model_id, base_url, declared_region, declared_zdr }: UpdatePrivateEndpoint
) {
  const { stored: before, status } = yield* requirePrivateEndpoint(account_id, id)
  yield* requireDeploymentUrl(base_url, "base_url")
  if (status !== "draft") return yield* otherState(notDraft)
  const next = { base_url: base_url ?? before.base_url, upstream_model_id }
  const isSame = next.base_url === before.base_url && next.upstream_model_id === before.upstream_model_id
  const change = {
    ...next,
    // What was attested was attested of the former deployment.
    declared_region: declared_region === undefined ? (isSame ? before.declared_region : null) : declared_region,
    declared_zdr: declared_zdr === undefined ? (isSame ? before.declared_zdr : null) : declared_zdr,
    status,
    validated: null
  }
  const deployment = { base_url: before.base_url, upstream_model_id: before.upstream_model_id }
  const guard = { status: [before.status], deployment }
  const outcome = yield* (yield* PrivateEndpoints).update(account_id, id, change, guard)
  return yield* printedPrivateEndpoint(account_id, yield* updated(outcome, "The endpoint changed meanwhile"))
})

/** Rule: models#private-endpoints. */
export const updatePrivateEndpointPricing = operation("updatePrivateEndpointPricing")(function* (
  { account_id }: Caller,
  id: string,
  pricing: PrivateEndpointPricing
) {
  const outcome = yield* (yield* PrivateEndpoints).update(account_id, id, { pricing }, {})
  return typeof outcome === "string" ? yield* notFound() : yield* printedPrivateEndpoint(account_id, outcome)
})
