import type { Caller } from "../access/Caller.ts"
import { operation } from "../tracing/operation.ts"
import { printedDirectoryGroup } from "./directoryGroupOf.ts"
import { DirectoryGroups } from "../ports/directory.ts"
import { requireGroup } from "./requireGroup.ts"
import { isAnswered, type Projection, projectResource } from "./scim/projectResource.ts"
import { groupKind } from "./scim/ResourceKind.ts"

/** Rule: scim#directory-groups. */
export const getDirectoryGroup = operation("getDirectoryGroup")(function* (
  caller: Caller,
  id: string,
  projection: Projection
) {
  const group = yield* requireGroup(caller, id)
  const members = isAnswered(groupKind, projection, "members")
    ? yield* (yield* DirectoryGroups).members(caller.account_id, [id])
    : undefined
  return projectResource(groupKind, printedDirectoryGroup(group, members), projection)
})
