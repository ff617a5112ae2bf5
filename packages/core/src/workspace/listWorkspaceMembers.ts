import type { Caller } from "../access/Caller.ts"
import type { PageRequest } from "../value/Page.ts"
import { operation } from "../tracing/operation.ts"
import { requireWorkspace } from "./requireWorkspace.ts"
import { WorkspaceMembers } from "../ports/workspaces.ts"

/** Rule: workspaces#members. */
export const listWorkspaceMembers = operation("listWorkspaceMembers")(function* (
  caller: Caller,
  idOrSlug: string,
  page: PageRequest
) {
  const { id } = yield* requireWorkspace(caller, idOrSlug)
  return yield* (yield* WorkspaceMembers).list(caller.account_id, id, page)
})
