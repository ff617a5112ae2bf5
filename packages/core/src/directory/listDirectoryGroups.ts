import { type ScimQuery, scimLimits, scimUrns } from "@gatewarden/contract"
import { Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import { operation } from "../tracing/operation.ts"
import { printedDirectoryGroup } from "./directoryGroupOf.ts"
import { type DirectoryGroup, DirectoryGroups } from "../ports/directory.ts"
import { inSlices } from "../value/inSlices.ts"
import { findResources, matchingIn, tooWide } from "./findResources.ts"
import { groupedMembers } from "./groupedMembers.ts"
import { comparisonsIn } from "./scim/lookUps.ts"
import type { Filter } from "./scim/Filter.ts"
import { matchesFilter } from "./scim/matchFilter.ts"
import { isAnswered, projectResource } from "./scim/projectResource.ts"
import { groupKind } from "./scim/ResourceKind.ts"

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
