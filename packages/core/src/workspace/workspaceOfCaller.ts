/**
 * The workspace of a request that accepts API keys: for an API key its own, for a management key the one that the request names,
 * otherwise the account's default one.
 *
 * Rule: workspaces#naming-a-workspace.
 */
import { Effect, Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { invalid, NotFound, notFound } from "../failure.ts"
import { Workspaces } from "./Workspaces.ts"

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
    if (named !== undefined && named !== caller.workspace_id) return yield* notFound()
    return caller.workspace_id
  }
  if (named === undefined) {
    if (caller.default_workspace_id !== null) return caller.default_workspace_id
    return yield* invalid(
      "default_workspace_deleted",
      path,
      "The account's default workspace was deleted: send a workspace_id"
    )
  }
  if (named === caller.default_workspace_id) return named
  const found = yield* (yield* Workspaces).find(caller.account_id, named)
  // Only ids are accepted here, no slugs.
  return Option.isSome(found) && found.value.id === named ? named : yield* workspaceNotFound()
})
