import type { CreateGroupMapping, MappableGroup, ScimGroupMapping, ScimSyncJob } from "@gatewarden/contract/internal"
import { Effect, Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { unknownWorkspace } from "../access/workspaceOfRequest.ts"
import { requireQuota } from "../limits/requireQuota.ts"
import { Entropy } from "../platform/Entropy.ts"
import {
  DirectoryGroups,
  type GroupMapping,
  GroupMappings,
  type MemberRole,
  type SyncJob,
  SyncJobs
} from "../ports/directory.ts"
import { operation } from "../tracing/operation.ts"
import type { PageRequest } from "../value/Page.ts"
import { timestamp } from "../value/calendar.ts"
import { Conflict, notFound, notFoundAt } from "../value/failure.ts"
import { givingOf, tooManyMemberships } from "./directoryResource.ts"

/** A mapping as the public API shows it: the account is the organization. */
export const printedMapping = (
  account_id: string,
  { id, group_id, workspace_id, role, created_at, updated_at }: GroupMapping
): ScimGroupMapping => ({
  id,
  organization_id: account_id,
  scim_group_id: group_id,
  workspace_id,
  role,
  created_at,
  updated_at
})

/** Rule: scim#mappings. */
export const createGroupMapping = operation("createGroupMapping")(function* (
  caller: Caller,
  { scim_group_id, workspace_id, role }: CreateGroupMapping
) {
  const { account_id } = caller
  yield* requireQuota("group_mappings_per_account", { account_id })
  const giving = yield* givingOf(caller)
  const draft = {
    id: (yield* Entropy).uuid(),
    group_id: scim_group_id,
    workspace_id,
    role,
    created_at: giving.now,
    updated_at: giving.now
  }
  const outcome = yield* (yield* GroupMappings).insert(account_id, draft, giving)
  if (outcome === "too_many_memberships") return yield* tooManyMemberships
  if (outcome === "no_group") return yield* notFoundAt("scim_group_id", "group")
  if (outcome === "no_workspace") return yield* unknownWorkspace("workspace_id")
  if (outcome === "other_role")
    return yield* new Conflict({
      reason: "mapping_exists",
      issues: [{ path: "role", code: "mapping_exists", message: "The group is mapped here with another role" }]
    })
  return printedMapping(account_id, outcome.mapping)
})

/** Rule: scim#mappings. */
export const deleteGroupMapping = operation("deleteGroupMapping")(function* (
  { account_id, key_hash }: Caller,
  id: string,
  keep: boolean
) {
  const settling = { now: yield* timestamp, spared: key_hash }
  const outcome = yield* (yield* GroupMappings).remove(account_id, id, keep, settling)
  if (outcome === "missing") return yield* notFound()
  return { deleted: true as const }
})

/** Rule: scim#mappings. */
export const getGroupMapping = operation("getGroupMapping")(function* ({ account_id }: Caller, id: string) {
  const mapping = yield* (yield* GroupMappings).find(account_id, id)
  return Option.isNone(mapping) ? yield* notFound() : printedMapping(account_id, mapping.value)
})

/** Rule: requests#lists. */
export const listGroupMappings = operation("listGroupMappings")(function* ({ account_id }: Caller, page: PageRequest) {
  const { data, total_count } = yield* (yield* GroupMappings).list(account_id, page)
  return { data: data.map((mapping) => printedMapping(account_id, mapping)), total_count }
})

/** Rule: requests#lists. */
export const listMappableGroups = operation("listMappableGroups")(function* (
  { account_id }: Caller,
  page: PageRequest
) {
  const { data, total_count } = yield* (yield* DirectoryGroups).list(account_id, page)
  return {
    data: data.map(({ member_count: _, ...group }): MappableGroup => ({ ...group, organization_id: account_id })),
    total_count
  }
})

/** Rule: scim#mappings. */
export const updateGroupMapping = operation("updateGroupMapping")(function* (
  { account_id, key_hash }: Caller,
  id: string,
  role: MemberRole
) {
  const settling = { now: yield* timestamp, spared: key_hash }
  const outcome = yield* (yield* GroupMappings).update(account_id, id, role, settling)
  return outcome === "missing" ? yield* notFound() : printedMapping(account_id, outcome.mapping)
})

export const printedSyncJob = ({
  id,
  status,
  synced_groups,
  created_at,
  started_at,
  finished_at
}: SyncJob): ScimSyncJob => {
  const isDone = status === "succeeded"
  return {
    id,
    status,
    synced_groups: isDone ? synced_groups : null,
    deleted_groups: isDone ? 0 : null,
    error_message: null,
    created_at,
    started_at,
    finished_at
  }
}

/** Rule: scim#sync-jobs. */
export const createSyncJob = operation("createSyncJob")(function* ({ account_id }: Caller) {
  const job = yield* (yield* SyncJobs).start(account_id, (yield* Entropy).uuid(), yield* timestamp)
  return printedSyncJob(job)
})

/** Rule: scim#sync-jobs. */
export const getSyncJob = operation("getSyncJob")(function* ({ account_id }: Caller, id: string) {
  const job = yield* (yield* SyncJobs).find(account_id, id)
  return Option.isNone(job) ? yield* notFound() : printedSyncJob(job.value)
})

/** A batch of the background job, of the account whose turn it is behind `after`: one group. Rule: scim#sync-jobs. */
export const advanceSyncJobs = Effect.fnUntraced(function* (after: string | null) {
  const { handled, account_id } = yield* (yield* SyncJobs).advance(yield* timestamp, after)
  return { value: handled, ...(account_id === null ? {} : { position: account_id }) }
})
