/** A group of a directory as SCIM shows it, and as it is kept. Rule: scim#directory-groups. */
import { type ScimGroup, scimUrns } from "@gatewarden/contract"
import { Result } from "effect"
import { BadRequest, invalid } from "../value/failure.ts"
import type { DirectoryGroup, GroupMember, GroupRefusal } from "../ports/directory.ts"
import { metaOf, readNames } from "./directoryUserOf.ts"
import { memberIds } from "./readGroupPatch.ts"
import { Issues, readResource } from "./scim/readResource.ts"
import { groupKind, type Values } from "./scim/ResourceKind.ts"
import { nameTaken } from "./nameTaken.ts"

export interface GroupFacts {
  readonly display_name: string
  readonly external_id: string | null
  readonly members: readonly string[]
}

export const readGroupFacts = (sent: Values): Result.Result<GroupFacts, BadRequest> => {
  const issues = new Issues()
  const resource = readResource(groupKind, sent, issues)
  const { name, external_id } = readNames(resource, "displayName", issues)
  if (issues.found.length > 0) return Result.fail(new BadRequest({ reason: "invalid_request", issues: issues.found }))
  return Result.succeed({ display_name: name, external_id, members: [...new Set(memberIds(resource["members"]))] })
}

/** What a client may change, but members. */
export const namesOfGroup = ({ display_name, external_id }: DirectoryGroup): Values => ({
  displayName: display_name,
  ...(external_id === null ? {} : { externalId: external_id })
})

/** `members` undefined: they were not read. */
export const printedDirectoryGroup = (
  group: DirectoryGroup,
  members: readonly GroupMember[] | undefined
): ScimGroup => ({
  schemas: [scimUrns.group],
  id: group.id,
  ...namesOfGroup(group),
  ...(members === undefined
    ? {}
    : {
        members: members
          .filter(({ group_id }) => group_id === group.id)
          .map(({ member_id, display }) => ({ value: member_id, display, $ref: `/Users/${member_id}` }))
      }),
  meta: metaOf("Group", group)
})

export const refuseGroup = (refusal: GroupRefusal) => {
  switch (refusal) {
    case "taken":
      return nameTaken("displayName")
    case "unknown_member":
      return invalid("invalid_request", "members", "Expected ids of users of the directory")
    case "too_many_members":
      return invalid("invalid_request", "members", "Expected at most 10,000 members")
  }
}
