import {
  type CreateFederationPolicy,
  federationPoliciesPerWorkspace,
  type FederationPolicy,
  maxLifetimeSeconds
} from "@gatewarden/contract"
import type { Caller } from "../access/Caller.ts"
import { invalid } from "../value/failure.ts"
import { Entropy } from "../platform/Entropy.ts"
import { operation } from "../tracing/operation.ts"
import { timestamp } from "../value/timestamp.ts"
import { resolveWorkspace, unknownWorkspace } from "../access/resolveWorkspace.ts"
import { checkPolicy } from "./checkPolicy.ts"
import { FederationPolicies } from "../ports/federationPolicies.ts"

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
