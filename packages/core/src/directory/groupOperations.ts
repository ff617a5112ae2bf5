import { type ScimQuery, scimLimits, scimUrns } from "@gatewarden/contract/internal"
import { Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import { requireQuota } from "../limits/requireQuota.ts"
import { Entropy } from "../platform/Entropy.ts"
import { type DirectoryGroup, DirectoryGroups, type GroupChange } from "../ports/directory.ts"
import { operation } from "../tracing/operation.ts"
import { timestamp } from "../value/calendar.ts"
import { notFound } from "../value/failure.ts"
import { inSlices } from "../value/inSlices.ts"
import {
  givingOf,
  groupedMembers,
  namesOfGroup,
  printedDirectoryGroup,
  readGroupFacts,
  readGroupPatch,
  refuseGroup,
  tooManyMemberships
} from "./directoryResource.ts"
import { findResources, matchingIn, tooWide } from "./findResources.ts"
import { type Filter, matchesFilter } from "./scim/Filter.ts"
import { type Values, groupKind } from "./scim/ResourceKind.ts"
import { comparisonsIn } from "./scim/lookUps.ts"
import { type Projection, isAnswered, projectResource } from "./scim/projectResource.ts"
import { readPatch } from "./scim/readPatch.ts"

/** Rule: scim#directory-groups. */
export const createDirectoryGroup = operation("createDirectoryGroup")(function* (
  caller: Caller,
  sent: Values,
  projection: Projection
) {
  const { members, ...facts } = yield* Effect.fromResult(readGroupFacts(sent))
  yield* requireQuota("directory_groups_per_account", { account_id: caller.account_id })
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

/** Rule: scim#directory-groups. */
export const deleteDirectoryGroup = operation("deleteDirectoryGroup")(function* (caller: Caller, id: string) {
  const settling = { now: yield* timestamp, spared: caller.key_hash }
  const outcome = yield* (yield* DirectoryGroups).remove(caller.account_id, id, settling)
  if (outcome === "missing") return yield* notFound()
})

/** The group of the caller's account, or 404. */
export const requireGroup = Effect.fnUntraced(function* ({ account_id }: Caller, id: string) {
  const sought = { ids: [id], names: [], external_ids: [], members: [] }
  const [group] = yield* (yield* DirectoryGroups).find(account_id, sought, { limit: 1, offset: 0 })
  return group ?? (yield* notFound())
})

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

/** The users whose groups the filter asks for. */
const membersIn = (filter: Filter): readonly string[] =>
  [...comparisonsIn(filter)].flatMap(({ filter: each, about }) =>
    about.attribute.name === "members" && each.kind === "compare" && typeof each.value === "string" ? [each.value] : []
  )

/** As many groups of a page as have so many members together; at least one. */
const withinMembers = (found: readonly DirectoryGroup[]): readonly DirectoryGroup[] => {
  let members = 0
  const beyond = found.findIndex((group, index) => (members += group.member_count) > scimLimits.members && index > 0)
  return beyond === -1 ? found : found.slice(0, beyond)
}

/** Rule: scim#lists, scim#filters. */
export const listDirectoryGroups = operation("listDirectoryGroups")(function* (caller: Caller, query: ScimQuery) {
  const groups = yield* DirectoryGroups
  const { account_id } = caller
  const page = yield* findResources<DirectoryGroup>(
    {
      kind: groupKind,
      find: (lookUps, page) => groups.find(account_id, lookUps, page),
      list: (asked) => groups.list(account_id, asked),
      matching: (filter, candidates) =>
        Effect.flatMap(
          // Of the members only those are compared that the filter names.
          groups.groupsOf(account_id, membersIn(filter), scimLimits.members + 1),
          (places) => {
            if (places.length > scimLimits.members) return tooWide()
            const members = groupedMembers(
              places.map((place) => ({ ...place, display: "" })),
              "group_id"
            )
            return inSlices(
              matchingIn(candidates, (group) =>
                matchesFilter(filter, printedDirectoryGroup(group, members.get(group.id) ?? []))
              )
            )
          }
        )
    },
    query
  )
  const isAsked = isAnswered(groupKind, query, "members")
  const found = isAsked ? withinMembers(page.found) : page.found
  const members = isAsked
    ? yield* groups.members(
        account_id,
        found.map(({ id }) => id)
      )
    : []
  const byGroup = groupedMembers(members, "group_id")
  const Resources = found.map((group) =>
    projectResource(groupKind, printedDirectoryGroup(group, isAsked ? (byGroup.get(group.id) ?? []) : undefined), query)
  )
  return {
    schemas: [scimUrns.list],
    totalResults: page.total,
    startIndex: page.startIndex,
    itemsPerPage: Resources.length,
    Resources
  }
})

/** The group after the change. */
export const changeDirectoryGroup = Effect.fnUntraced(function* (caller: Caller, id: string, fields: GroupChange) {
  const giving = yield* givingOf(caller)
  const outcome = yield* (yield* DirectoryGroups).update(caller.account_id, id, fields, giving)
  if (outcome === "too_many_memberships") return yield* tooManyMemberships
  if (outcome === "missing") return yield* notFound()
  if (typeof outcome === "string") return yield* refuseGroup(outcome)
  return outcome.group
})

/** Rule: scim#patches. */
export const patchDirectoryGroup = operation("patchDirectoryGroup")(function* (
  caller: Caller,
  id: string,
  body: Values
) {
  const steps = yield* readPatch(groupKind, body)
  const group = yield* requireGroup(caller, id)
  yield* changeDirectoryGroup(caller, id, yield* Effect.fromResult(readGroupPatch(namesOfGroup(group), steps)))
})

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
