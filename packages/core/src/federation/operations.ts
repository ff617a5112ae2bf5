import {
  type CreateFederationPolicy,
  type FederationPolicy,
  type QueryOf,
  type UpdateFederationPolicy,
  federationPoliciesPerWorkspace,
  type listFederationPolicies as declaration,
  maxLifetimeSeconds
} from "@gatewarden/contract/internal"
import { Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { resolveWorkspace, unknownWorkspace } from "../access/workspaceOfRequest.ts"
import { Entropy } from "../platform/Entropy.ts"
import { type FederationPolicyChange, FederationPolicies } from "../ports/federationPolicies.ts"
import { operation } from "../tracing/operation.ts"
import { timestamp } from "../value/calendar.ts"
import { invalid, notFound } from "../value/failure.ts"
import { checkPolicy } from "./judgeClaims.ts"
import { sentFields } from "../value/sentFields.ts"

/** Rule: authorization#federation-policies. */
export const createFederationPolicy = operation("createFederationPolicy")(function* (
  caller: Caller,
  { workspace_id, ...fields }: CreateFederationPolicy
) {
  const policy: FederationPolicy = {
    id: (yield* Entropy).uuid(),
    workspace_id: yield* resolveWorkspace(caller, workspace_id, "workspace_id"),
    name: fields.name,
    issuer: fields.issuer,
    audience: fields.audience,
    jwks_uri: fields.jwks_uri ?? null,
    subject: fields.subject,
    claims: fields.claims ?? null,
    lifetime_seconds: fields.lifetime_seconds ?? maxLifetimeSeconds,
    limit: fields.limit ?? null,
    user_id: fields.user_id ?? null,
    allow_reuse: fields.allow_reuse ?? false,
    disabled: fields.disabled ?? false,
    created_at: yield* timestamp,
    updated_at: null
  }
  yield* checkPolicy(policy)
  switch (yield* (yield* FederationPolicies).insert(caller.account_id, policy)) {
    case "inserted":
      return policy
    case "missing":
      return yield* unknownWorkspace("workspace_id")
    case "full":
      return yield* invalid(
        "quota_exceeded",
        "",
        `The workspace has ${federationPoliciesPerWorkspace} federation policies already. Delete one that is not needed`
      )
  }
})

/** Rule: authorization#federation-policies. */
export const deleteFederationPolicy = operation("deleteFederationPolicy")(function* (caller: Caller, id: string) {
  const isRemoved = yield* (yield* FederationPolicies).remove(caller.account_id, id)
  return isRemoved ? { deleted: true as const } : yield* notFound()
})

/** Rule: authorization#federation-policies. */
export const getFederationPolicy = operation("getFederationPolicy")(function* (caller: Caller, id: string) {
  const found = yield* (yield* FederationPolicies).find(caller.account_id, id)
  return Option.isSome(found) ? found.value : yield* notFound()
})

/** Rule: requests#lists. */
export const listFederationPolicies = operation("listFederationPolicies")(function* (
  caller: Caller,
  { workspace_id, ...page }: QueryOf<typeof declaration>
) {
  const workspace = yield* resolveWorkspace(caller, workspace_id, "query.workspace_id")
  return yield* (yield* FederationPolicies).list(caller.account_id, { workspace_id: workspace }, page)
})

/**
 * Rule: authorization#federation-policies, requests#patches. Of two updates at once each is checked with what the other found; a policy
 * that together they opened to all subjects accepts no token (`meetsPolicy`).
 */
export const updateFederationPolicy = operation("updateFederationPolicy")(function* (
  caller: Caller,
  id: string,
  fields: UpdateFederationPolicy
) {
  const policies = yield* FederationPolicies
  const found = yield* policies.find(caller.account_id, id)
  if (Option.isNone(found)) return yield* notFound()
  const change = federationPolicyChange(fields)
  yield* checkPolicy({ ...found.value, ...change })
  const updated = yield* policies.update(caller.account_id, id, change, yield* timestamp)
  return Option.isSome(updated) ? updated.value : yield* notFound()
})

export const federationPolicyChange = (fields: UpdateFederationPolicy): FederationPolicyChange =>
  sentFields(
    fields,
    ["jwks_uri", "claims", "limit", "user_id"],
    ["name", "issuer", "audience", "subject", "lifetime_seconds", "allow_reuse", "disabled"]
  )
