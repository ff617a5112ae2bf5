/**
 * Which workspace a request means: the one it names, else the account's default.
 *
 * Rule: workspaces#naming-a-workspace, workspaces#default-workspace.
 */
import { Effect, Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { invalid } from "../failure.ts"
import { Workspaces } from "./Workspaces.ts"

/** The same without a look whether it exists, for a statement that finds out: what it does not find is `unknownWorkspace`. */
export const meantWorkspace = (caller: Caller, named: string | null | undefined, path: string) => {
  const id = named ?? caller.default_workspace_id
  return id === null
    ? invalid("default_workspace_deleted", path, "The default workspace was deleted; name a workspace")
    : Effect.succeed(id)
}

/** Fails with 400 for an unknown, foreign or deleted workspace; `path` says where the request named it. */
export const resolveWorkspace = Effect.fnUntraced(function* (
  caller: Caller,
  named: string | null | undefined,
  path: string
) {
  const id = yield* meantWorkspace(caller, named, path)
  if (id === caller.default_workspace_id) return id
  const workspaces = yield* Workspaces
  const found = yield* workspaces.find(caller.account_id, id)
  // Names are ids here: a slug in a body is not an id.
  if (Option.isSome(found) && found.value.id === id) return id
  return yield* unknownWorkspace(path)
})

export const unknownWorkspace = (path: string) =>
  invalid("unknown_workspace", path, "No workspace of this account has this id")
