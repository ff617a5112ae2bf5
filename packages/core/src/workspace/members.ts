import { EmailAddress, type OrganizationMember } from "@gatewarden/contract/internal"
import type { Caller } from "../access/Caller.ts"
import { Entropy } from "../platform/Entropy.ts"
import { type User, WorkspaceMembers } from "../ports/workspaces.ts"
import { operation } from "../tracing/operation.ts"
import type { PageRequest } from "../value/Page.ts"
import { quotaExceeded, usableQuota } from "../limits/requireQuota.ts"
import { timestamp } from "../value/calendar.ts"
import { invalid, notFound } from "../value/failure.ts"
import { requireWorkspace } from "./operations.ts"

/** Adding a member creates the user (Rule: workspaces#members). */
export const addWorkspaceMembers = operation("addWorkspaceMembers")(function* (
  caller: Caller,
  idOrSlug: string,
  user_ids: readonly string[]
) {
  const workspace = yield* requireWorkspace(caller, idOrSlug)
  const { list, add } = yield* WorkspaceMembers
  const { total_count } = yield* list(caller.account_id, workspace.id, { offset: 0, limit: 1 })
  if (total_count + user_ids.length > (yield* usableQuota("members_per_workspace", caller)))
    return yield* quotaExceeded("members_per_workspace", caller, `This workspace has ${total_count} members`)
  const entropy = yield* Entropy
  const drafts = user_ids.map((user_id) => ({ user_id, id: entropy.uuid() }))
  const members = yield* add(caller.account_id, workspace.id, drafts, yield* timestamp)
  if (members === "missing") return yield* notFound()
  const drafted = new Set(drafts.map(({ id }) => id))
  return { added_count: members.filter(({ id }) => drafted.has(id)).length, data: [...members] }
})

const addressOf = (...texts: readonly string[]): string =>
  texts.find((text) => EmailAddress.safeParse(text).success) ?? ""

const printedUser = ({ id, is_admin, contact }: User): OrganizationMember => ({
  id,
  email: contact === null ? addressOf(id) : addressOf(contact.email, id),
  first_name: contact?.first_name ?? null,
  last_name: contact?.last_name ?? null,
  role: is_admin ? "org:admin" : "org:member"
})

/** Rule: access#users. */
export const listOrganizationMembers = operation("listOrganizationMembers")(function* (
  caller: Caller,
  page: PageRequest
) {
  const found = yield* (yield* WorkspaceMembers).users(caller.account_id, page, yield* timestamp)
  return { data: found.data.map(printedUser), total_count: found.total_count }
})

/** Rule: workspaces#members. */
export const listWorkspaceMembers = operation("listWorkspaceMembers")(function* (
  caller: Caller,
  idOrSlug: string,
  page: PageRequest
) {
  const { id } = yield* requireWorkspace(caller, idOrSlug)
  return yield* (yield* WorkspaceMembers).list(caller.account_id, id, page)
})

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
