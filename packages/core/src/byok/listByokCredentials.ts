import type { QueryOf, listByokCredentials as declaration } from "@gatewarden/contract"
import type { Caller } from "../access/Caller.ts"
import { operation } from "../tracing/operation.ts"
import { resolveWorkspace } from "../access/resolveWorkspace.ts"
import { ByokCredentials } from "../ports/byok.ts"
import { requireProvider } from "./requireProvider.ts"

/** Rule: requests#lists. */
export const listByokCredentials = operation("listByokCredentials")(function* (
  caller: Caller,
  { workspace_id, provider, ...page }: QueryOf<typeof declaration>
) {
  if (provider !== undefined) yield* requireProvider(caller.account_id, provider, "query.provider")
  const workspace = yield* resolveWorkspace(caller, workspace_id, "query.workspace_id")
  const credentials = yield* ByokCredentials
  return yield* credentials.list(caller.account_id, { workspace_id: workspace, provider }, page)
})
