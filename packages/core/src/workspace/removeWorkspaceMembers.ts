import type { Caller } from "../access/Caller.ts"
import { invalid, notFound } from "../value/failure.ts"
import { timestamp } from "../value/timestamp.ts"
import { operation } from "../tracing/operation.ts"
import { requireWorkspace } from "./requireWorkspace.ts"
import { WorkspaceMembers } from "../ports/workspaces.ts"

/** Rule: workspaces#members. */
export const removeWorkspaceMembers = operation("removeWorkspaceMembers")(function* (
  caller: Caller,
  idOrSlug: string,
  user_ids: readonly string[]
) {
  const { id } = yield* requireWorkspace(caller, idOrSlug)
  const removed = yield* (yield* WorkspaceMembers).remove(caller.account_id, id, user_ids, yield* timestamp)
  if (removed === "missing") return yield* notFound()
  if (removed === "has_keys")
    return yield* invalid(
      "member_has_keys",
      "user_ids",
      "A member has active API keys in this workspace; delete them first"
    )
  if (removed === "by_directory")
    return yield* invalid(
      "member_of_directory",
      "user_ids",
      "A directory gives one of the memberships; remove the user from its group there"
    )
  return { removed_count: removed }
})
