import { uuid } from "@gatewarden/contract/internal"
import { Effect, Option } from "effect"
import { Workspaces } from "../ports/workspaces.ts"
import { NotFound, invalid, notFoundAt } from "../value/failure.ts"
import { type Caller, onlyWorkspace, reachesWorkspace } from "./Caller.ts"

/** Skips the existence check, for a statement that detects a missing workspace itself and fails with `unknownWorkspace`. */
export const namedWorkspace = (caller: Caller, named: string | null | undefined, path: string) => {
  const id = named ?? caller.default_workspace_id ?? onlyWorkspace(caller)
  if (id === null) return noDefaultWorkspace(caller, path)
  return reachesWorkspace(caller, id) ? Effect.succeed(id) : unknownWorkspace(path)
}

/** Refuses a request that names no workspace where none can be meant. */
export const noDefaultWorkspace = ({ restrictions }: Caller, path: string) =>
  restrictions === null
    ? invalid("default_workspace_deleted", path, "The account's default workspace was deleted: send a workspace_id")
    : invalid("workspace_id_required", path, "The key is restricted to several workspaces: send a workspace_id")

/**
 * The workspace of a request: the one that it names, otherwise the account's default one.
 *
 * Rule: workspaces#naming-a-workspace, workspaces#default-workspace.
 *
 * Fails with 400 for an unknown, foreign or deleted workspace; `path` is the field that named it.
 */
export const resolveWorkspace = Effect.fnUntraced(function* (
  caller: Caller,
  named: string | null | undefined,
  path: string
) {
  const id = yield* namedWorkspace(caller, named, path)
  if (id === caller.default_workspace_id) return id
  const workspaces = yield* Workspaces
  const found = yield* workspaces.find(caller.account_id, id)
  // Only ids are accepted here: a slug in a body is unknown.
  if (Option.isSome(found) && found.value.id === id) return id
  return yield* unknownWorkspace(path)
})

export const unknownWorkspace = (path: string) =>
  invalid("unknown_workspace", path, "No workspace of this account has this id")

const path = "query.workspace_id"

/** 404: the account has no such workspace (any more). */
export const workspaceNotFound = () =>
  new NotFound({
    reason: "unknown_workspace",
    issues: [{ path, code: "unknown_workspace", message: "No workspace of this account has this id" }]
  })

/**
 * The workspace of a request that accepts API keys: for an API key its own, for a management key the one that the request names,
 * otherwise the account's default one.
 *
 * Rule: workspaces#naming-a-workspace.
 *
 * For an API key, every workspace but its own does not exist.
 */
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

/**
 * Whether an API key names, in the query, one workspace that is not its own; whether that workspace exists or not. The check of the
 * query refuses a malformed or repeated name.
 */
export const namesForeignWorkspace = (caller: Caller, search: string): boolean => {
  if (caller.workspace_id === null || !search.includes("workspace_id")) return false
  const named = new URLSearchParams(search).getAll("workspace_id")
  const parsed = uuid.safeParse(named[0])
  return named.length === 1 && parsed.success && parsed.data !== caller.workspace_id
}
