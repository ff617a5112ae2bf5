import { Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { invalid, notFound } from "../value/failure.ts"
import { sweepFiles } from "../file/sweepFiles.ts"
import { timestamp } from "../value/timestamp.ts"
import { operation } from "../tracing/operation.ts"
import { Workspaces } from "../ports/workspaces.ts"

/**
 * Rule: workspaces#deleting-a-workspace, workspaces#default-workspace. Refused while active keys exist; the default workspace needs a
 * confirmation, and takes its keys with it.
 */
export const deleteWorkspace = operation("deleteWorkspace")(function* (
  caller: Caller,
  idOrSlug: string,
  confirmed: boolean
) {
  const workspaces = yield* Workspaces
  const found = yield* workspaces.find(caller.account_id, idOrSlug)
  if (Option.isNone(found)) return yield* notFound()
  const isDefault = found.value.id === caller.default_workspace_id
  if (isDefault && !confirmed)
    return yield* invalid(
      "confirmation_required",
      "query.confirm_default_workspace_deletion",
      "Deleting the default workspace must be confirmed"
    )
  const outcome = yield* workspaces.remove(caller.account_id, found.value.id, {
    force: isDefault,
    now: yield* timestamp
  })
  if (outcome === "missing") return yield* notFound()
  if (outcome === "has_keys")
    return yield* invalid("workspace_not_empty", "path.id", "The workspace has active API keys; delete them first")
  yield* sweepFiles
  return { deleted: true as const }
})
