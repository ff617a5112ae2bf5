import type { Caller } from "../access/Caller.ts"
import { operation } from "../tracing/operation.ts"
import { resolveWorkspace } from "../access/resolveWorkspace.ts"
import { requirePrivateEndpoint } from "./requirePrivateEndpoint.ts"
import { validateEndpoint } from "./validateEndpoint.ts"

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
