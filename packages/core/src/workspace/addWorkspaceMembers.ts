import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { Entropy } from "../platform/Entropy.ts"
import { timestamp } from "../value/timestamp.ts"
import { operation } from "../tracing/operation.ts"
import { requireWorkspace } from "./requireWorkspace.ts"
import { WorkspaceMembers } from "../ports/workspaces.ts"

/** Adding a member creates the user (Rule: workspaces#members). */
export const addWorkspaceMembers = operation("addWorkspaceMembers")(function* (
  caller: Caller,
  idOrSlug: string,
  user_ids: readonly string[]
) {
  const workspace = yield* requireWorkspace(caller, idOrSlug)
  const entropy = yield* Entropy
  const drafts = user_ids.map((user_id) => ({ user_id, id: entropy.uuid() }))
  const members = yield* (yield* WorkspaceMembers).add(caller.account_id, workspace.id, drafts, yield* timestamp)
  if (members === "missing") return yield* notFound()
  const drafted = new Set(drafts.map(({ id }) => id))
  return { added_count: members.filter(({ id }) => drafted.has(id)).length, data: [...members] }
})
