import type { CreateGroupMapping } from "@gatewarden/contract"
import type { Caller } from "../access/Caller.ts"
import { Conflict, notFoundAt } from "../value/failure.ts"
import { requireRoom } from "../limits/requireRoom.ts"
import { Entropy } from "../platform/Entropy.ts"
import { timestamp } from "../value/timestamp.ts"
import { operation } from "../tracing/operation.ts"
import { unknownWorkspace } from "../access/resolveWorkspace.ts"
import { GroupMappings } from "../ports/directory.ts"
import { printedMapping } from "./printedMapping.ts"

/** Rule: scim#mappings. */
export const createGroupMapping = operation("createGroupMapping")(function* (
  { account_id, key_hash }: Caller,
  { scim_group_id, workspace_id, role }: CreateGroupMapping
) {
  yield* requireRoom("group_mappings_per_account", { account_id })
  const now = yield* timestamp
  const draft = {
    id: (yield* Entropy).uuid(),
    group_id: scim_group_id,
    workspace_id,
    role,
    created_at: now,
    updated_at: now
  }
  const outcome = yield* (yield* GroupMappings).insert(account_id, draft, { now, spared: key_hash })
  if (outcome === "no_group") return yield* notFoundAt("scim_group_id", "group")
  if (outcome === "no_workspace") return yield* unknownWorkspace("workspace_id")
  if (outcome === "other_role")
    return yield* new Conflict({
      reason: "mapping_exists",
      issues: [{ path: "role", code: "mapping_exists", message: "The group is mapped here with another role" }]
    })
  return printedMapping(account_id, outcome.mapping)
})
