/**
 * The workspace of a request that accepts API keys: for an API key its own, for a management key the one that the request names,
 * otherwise the account's default one.
 *
 * Rule: workspaces#naming-a-workspace.
 */
import { Effect, Option } from "effect"
import { Workspaces } from "../ports/workspaces.ts"
import { NotFound, notFoundAt } from "../value/failure.ts"
import type { Caller } from "./Caller.ts"
import { noDefaultWorkspace } from "./resolveWorkspace.ts"
import { onlyWorkspace, reachesWorkspace } from "./restrictions.ts"

const path = "query.workspace_id"

/** 404: the account has no such workspace (any more). */
export const workspaceNotFound = () =>
  new NotFound({
    reason: "unknown_workspace",
    issues: [{ path, code: "unknown_workspace", message: "No workspace of this account has this id" }]
  })

/** For an API key, every workspace but its own does not exist. */
export const workspaceOfCaller = Effect.fnUntraced(function* (caller: Caller, named: string | undefined) {
  if (caller.workspace_id !== null) {
    if (named !== undefined && named !== caller.workspace_id) return yield* notFoundAt(path, "workspace")
    return caller.workspace_id
  }
  const id = named ?? caller.default_workspace_id ?? onlyWorkspace(caller)
  if (id === null) return yield* noDefaultWorkspace(caller, path)
  if (id === caller.default_workspace_id) return id
  if (!reachesWorkspace(caller, id)) return yield* workspaceNotFound()
  const found = yield* (yield* Workspaces).find(caller.account_id, id)
  // Only ids are accepted here, no slugs.
  return Option.isSome(found) && found.value.id === id ? id : yield* workspaceNotFound()
})
