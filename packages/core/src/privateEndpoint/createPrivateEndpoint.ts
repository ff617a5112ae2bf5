import {
  type CreatePrivateEndpoint,
  type PrivateEndpointPricing,
  privateEndpointsPerAccount,
  validatePrivateEndpoint
} from "@gatewarden/contract"
import { Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import { invalid, NotFound } from "../value/failure.ts"
import { consumeNamed } from "../limits/consumeRateLimits.ts"
import { ModelCatalog } from "../ports/models.ts"
import type { VisibleModel } from "../catalog/ownModels.ts"
import { findModel } from "../catalog/resolveModelName.ts"
import { Entropy } from "../platform/Entropy.ts"
import { operation } from "../tracing/operation.ts"
import { timestamp } from "../value/timestamp.ts"
import { resolveWorkspace } from "../access/resolveWorkspace.ts"
import { activateEndpoint, unvalidated } from "./activateEndpoint.ts"
import { requireDeploymentUrl } from "./deployment.ts"
import { printedManaged } from "./printedPrivateEndpoint.ts"
import { PrivateEndpoints, type StoredPrivateEndpoint } from "../ports/privateEndpoints.ts"
import { requirePrivateEndpoint } from "./requirePrivateEndpoint.ts"
import { requireUpstreamProvider } from "./requireUpstreamProvider.ts"
import { validateEndpoint } from "./validateEndpoint.ts"

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
  const model = findModel(model_permaslug, yield* (yield* ModelCatalog).named(account_id, [model_permaslug]))
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
