import { EmailAddress, type OrganizationMember } from "@gatewarden/contract"
import type { Caller } from "../access/Caller.ts"
import type { PageRequest } from "../value/Page.ts"
import { timestamp } from "../value/timestamp.ts"
import { operation } from "../tracing/operation.ts"
import { type User, WorkspaceMembers } from "../ports/workspaces.ts"

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
