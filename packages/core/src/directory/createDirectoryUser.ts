import { Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import { requireRoom } from "../limits/requireRoom.ts"
import { Entropy } from "../platform/Entropy.ts"
import { timestamp } from "../value/timestamp.ts"
import { operation } from "../tracing/operation.ts"
import { printedDirectoryUser, readUserFacts } from "./directoryUserOf.ts"
import { DirectoryUsers, type DirectoryUser } from "../ports/directory.ts"
import { lastManagementKey } from "./lastManagementKey.ts"
import { nameTaken } from "./nameTaken.ts"
import { type Projection, projectResource } from "./scim/projectResource.ts"
import { userKind, type Values } from "./scim/ResourceKind.ts"

/** Rule: scim#directory-users. */
export const createDirectoryUser = operation("createDirectoryUser")(function* (
  caller: Caller,
  sent: Values,
  projection: Projection
) {
  const { active = true, ...facts } = yield* Effect.fromResult(readUserFacts(sent))
  yield* requireRoom("directory_users_per_account", { account_id: caller.account_id })
  const now = yield* timestamp
  const user: DirectoryUser = {
    id: (yield* Entropy).uuid(),
    user_id: facts.user_name,
    ...facts,
    active,
    created_at: now,
    updated_at: now
  }
  const outcome = yield* (yield* DirectoryUsers).insert(caller.account_id, user, { now, spared: caller.key_hash })
  if (outcome === "taken") return yield* nameTaken("userName")
  if (outcome === "last_management_key") return yield* lastManagementKey()
  return projectResource(userKind, printedDirectoryUser(user, []), projection)
})
