import { Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import { requireRoom } from "../limits/requireRoom.ts"
import { Entropy } from "../platform/Entropy.ts"
import { timestamp } from "../value/timestamp.ts"
import { operation } from "../tracing/operation.ts"
import { printedDirectoryGroup, readGroupFacts, refuseGroup } from "./directoryGroupOf.ts"
import { DirectoryGroups } from "../ports/directory.ts"
import { isAnswered, type Projection, projectResource } from "./scim/projectResource.ts"
import { groupKind, type Values } from "./scim/ResourceKind.ts"

/** Rule: scim#directory-groups. */
export const createDirectoryGroup = operation("createDirectoryGroup")(function* (
  caller: Caller,
  sent: Values,
  projection: Projection
) {
  const { members, ...facts } = yield* Effect.fromResult(readGroupFacts(sent))
  yield* requireRoom("directory_groups_per_account", { account_id: caller.account_id })
  const now = yield* timestamp
  const id = (yield* Entropy).uuid()
  const groups = yield* DirectoryGroups
  const group = { id, ...facts, member_count: members.length, created_at: now, updated_at: now }
  const outcome = yield* groups.insert(caller.account_id, group, members, { now, spared: caller.key_hash })
  if (typeof outcome === "string") return yield* refuseGroup(outcome)
  const joined =
    members.length > 0 && isAnswered(groupKind, projection, "members")
      ? yield* groups.members(caller.account_id, [id])
      : []
  return projectResource(groupKind, printedDirectoryGroup(outcome.group, joined), projection)
})
