import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import { printedDirectoryUser } from "./directoryUserOf.ts"
import { DirectoryUsers } from "../ports/directory.ts"
import { groupsOfUser } from "./groupsOfUsers.ts"
import { isAnswered, type Projection, projectResource } from "./scim/projectResource.ts"
import { userKind } from "./scim/ResourceKind.ts"

/** Rule: scim#directory-users. */
export const getDirectoryUser = operation("getDirectoryUser")(function* (
  caller: Caller,
  id: string,
  projection: Projection
) {
  const sought = { ids: [id], names: [], external_ids: [] }
  const [user] = yield* (yield* DirectoryUsers).find(caller.account_id, sought, { limit: 1, offset: 0 })
  if (user === undefined) return yield* notFound()
  const groups = isAnswered(userKind, projection, "groups") ? yield* groupsOfUser(caller.account_id, id) : []
  return projectResource(userKind, printedDirectoryUser(user, groups), projection)
})
