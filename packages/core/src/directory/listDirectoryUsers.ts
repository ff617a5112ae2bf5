import { scimUrns, type ScimQuery } from "@gatewarden/contract"
import type { Caller } from "../access/Caller.ts"
import { operation } from "../tracing/operation.ts"
import { DirectoryGroups } from "./DirectoryGroups.ts"
import { printedDirectoryUser } from "./directoryUserOf.ts"
import { type DirectoryUser, DirectoryUsers } from "./DirectoryUsers.ts"
import { inSlices } from "../value/inSlices.ts"
import { findResources, matchingIn } from "./findResources.ts"
import { groupedMembers } from "./groupedMembers.ts"
import { matchesFilter } from "./scim/matchFilter.ts"
import { isAnswered, projectResource } from "./scim/projectResource.ts"
import { userKind } from "./scim/ResourceKind.ts"

/** Rule: scim#lists, scim#filters. */
export const listDirectoryUsers = operation("listDirectoryUsers")(function* (caller: Caller, query: ScimQuery) {
  const users = yield* DirectoryUsers
  const { startIndex, total, found } = yield* findResources<DirectoryUser>(
    {
      kind: userKind,
      find: (lookUps, limit) => users.find(caller.account_id, lookUps, limit),
      list: (page) => users.list(caller.account_id, page),
      matching: (filter, candidates) =>
        inSlices(matchingIn(candidates, (user) => matchesFilter(filter, printedDirectoryUser(user, []))))
    },
    query
  )
  const groups =
    found.length > 0 && isAnswered(userKind, query, "groups")
      ? yield* (yield* DirectoryGroups).groupsOf(
          caller.account_id,
          found.map(({ id }) => id)
        )
      : []
  const byUser = groupedMembers(groups, "member_id")
  const Resources = found.map((user) =>
    projectResource(userKind, printedDirectoryUser(user, byUser.get(user.id) ?? []), query)
  )
  return { schemas: [scimUrns.list], totalResults: total, startIndex, itemsPerPage: Resources.length, Resources }
})
