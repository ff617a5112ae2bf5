import type { QueryOf, listFederationPolicies as declaration } from "@gatewarden/contract"
import type { Caller } from "../access/Caller.ts"
import { operation } from "../tracing/operation.ts"
import { resolveWorkspace } from "../access/resolveWorkspace.ts"
import { FederationPolicies } from "../ports/federationPolicies.ts"

/** Rule: requests#lists. */
export const listFederationPolicies = operation("listFederationPolicies")(function* (
  caller: Caller,
  { workspace_id, ...page }: QueryOf<typeof declaration>
) {
  const workspace = yield* resolveWorkspace(caller, workspace_id, "query.workspace_id")
  return yield* (yield* FederationPolicies).list(caller.account_id, { workspace_id: workspace }, page)
})
