import { scimUrns, type ScimQuery } from "@gatewarden/contract"
import type { Caller } from "../access/Caller.ts"
import { operation } from "../tracing/operation.ts"
import { type DirectoryUser, DirectoryUsers, type GroupMember } from "../ports/directory.ts"
import { printedDirectoryUser } from "./directoryUserOf.ts"
import { inSlices } from "../value/inSlices.ts"
import { findResources, matchingIn } from "./findResources.ts"
import { groupsOfUsers } from "./groupsOfUsers.ts"
import { matchesFilter } from "./scim/matchFilter.ts"
import { isAnswered, projectResource } from "./scim/projectResource.ts"
import { userKind } from "./scim/ResourceKind.ts"

/** Rule: scim#lists, scim#filters. */
export const listDirectoryUsers = operation("listDirectoryUsers")(function* (caller: Caller, query: ScimQuery) {
  const users = yield* DirectoryUsers
  const { startIndex, total, found } = yield* findResources<DirectoryUser>(
    {
      kind: userKind,
      find: (lookUps, page) => users.find(caller.account_id, lookUps, page),
      list: (page) => users.list(caller.account_id, page),
      matching: (filter, candidates) =>
        inSlices(matchingIn(candidates, (user) => matchesFilter(filter, printedDirectoryUser(user, []))))
    },
    query
  )
  const ids = found.map(({ id }) => id)
  const { users: answered, groups } =
    found.length > 0 && isAnswered(userKind, query, "groups")
      ? yield* groupsOfUsers(caller.account_id, ids)
      : { users: ids, groups: new Map<string, readonly GroupMember[]>() }
  const Resources = found
    .slice(0, answered.length)
    .map((user) => projectResource(userKind, printedDirectoryUser(user, groups.get(user.id) ?? []), query))
  return { schemas: [scimUrns.list], totalResults: total, startIndex, itemsPerPage: Resources.length, Resources }
})
