/**
 * The workspace of a request: the one that it names, otherwise the account's default one.
 *
 * Rule: workspaces#naming-a-workspace, workspaces#default-workspace.
 */
import { Effect, Option } from "effect"
import { Workspaces } from "../ports/workspaces.ts"
import { invalid } from "../value/failure.ts"
import type { Caller } from "./Caller.ts"
import { onlyWorkspace, reachesWorkspace } from "./restrictions.ts"

/** Skips the existence check, for a statement that detects a missing workspace itself and fails with `unknownWorkspace`. */
export const meantWorkspace = (caller: Caller, named: string | null | undefined, path: string) => {
  const id = named ?? caller.default_workspace_id ?? onlyWorkspace(caller)
  if (id === null) return noDefaultWorkspace(caller, path)
  return reachesWorkspace(caller, id) ? Effect.succeed(id) : unknownWorkspace(path)
}

/** Refuses a request that names no workspace where none can be meant. */
export const noDefaultWorkspace = ({ restrictions }: Caller, path: string) =>
  restrictions === null
    ? invalid("default_workspace_deleted", path, "The account's default workspace was deleted: send a workspace_id")
    : invalid("workspace_id_required", path, "The key is restricted to several workspaces: send a workspace_id")

/** Fails with 400 for an unknown, foreign or deleted workspace; `path` is the field that named it. */
export const resolveWorkspace = Effect.fnUntraced(function* (
  caller: Caller,
  named: string | null | undefined,
  path: string
) {
  const id = yield* meantWorkspace(caller, named, path)
  if (id === caller.default_workspace_id) return id
  const workspaces = yield* Workspaces
  const found = yield* workspaces.find(caller.account_id, id)
  // Only ids are accepted here: a slug in a body is unknown.
  if (Option.isSome(found) && found.value.id === id) return id
  return yield* unknownWorkspace(path)
})

export const unknownWorkspace = (path: string) =>
  invalid("unknown_workspace", path, "No workspace of this account has this id")
