import { Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import { operation } from "../tracing/operation.ts"
import { changeDirectoryGroup } from "./changeDirectoryGroup.ts"
import { printedDirectoryGroup, readGroupFacts } from "./directoryGroupOf.ts"
import { DirectoryGroups } from "../ports/directory.ts"
import { isAnswered, type Projection, projectResource } from "./scim/projectResource.ts"
import { groupKind, type Values } from "./scim/ResourceKind.ts"

/** Rule: scim#directory-groups. */
export const putDirectoryGroup = operation("putDirectoryGroup")(function* (
  caller: Caller,
  id: string,
  sent: Values,
  projection: Projection
) {
  const { members, ...names } = yield* Effect.fromResult(readGroupFacts(sent))
  const group = yield* changeDirectoryGroup(caller, id, { ...names, members: { all: members } })
  const joined = isAnswered(groupKind, projection, "members")
    ? yield* (yield* DirectoryGroups).members(caller.account_id, [id])
    : undefined
  return projectResource(groupKind, printedDirectoryGroup(group, joined), projection)
})
