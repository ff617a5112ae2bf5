/**
 * Which workspace a request means: the one it names, else the account's default.
 *
 * Source: specification, operation 3 rule 2; decisions, deliberate readings.
 */
import { Effect, Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { invalid } from "../failure.ts"
import { Workspaces } from "./Workspaces.ts"

/** Fails with 400 for an unknown, foreign or deleted workspace; `path` says where the request named it. */
export const resolveWorkspace = Effect.fnUntraced(function* (
  caller: Caller,
  named: string | null | undefined,
  path: string
) {
  if (named == null) {
    if (caller.default_workspace_id !== null) return caller.default_workspace_id
    return yield* invalid("default_workspace_deleted", path, "The default workspace was deleted; name a workspace")
  }
  if (named === caller.default_workspace_id) return named
  const workspaces = yield* Workspaces
  const found = yield* workspaces.find(caller.account_id, named)
  // Names are ids here: a slug in a body is not an id.
  if (Option.isSome(found) && found.value.id === named) return named
  return yield* unknownWorkspace(path)
})

export const unknownWorkspace = (path: string) =>
  invalid("unknown_workspace", path, "No workspace of this account has this id")
