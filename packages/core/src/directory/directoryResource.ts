import { type ScimGroup, type ScimUser, codePoints, scimLimits, scimUrns } from "@gatewarden/contract/internal"
import { Effect, Result } from "effect"
import {
  type DirectoryGroup,
  DirectoryGroups,
  type DirectoryUser,
  type GroupChange,
  type GroupMember,
  type GroupRefusal,
  type MembersChange
} from "../ports/directory.ts"
import { BadRequest, Conflict, invalid } from "../value/failure.ts"
import type { Filter } from "./scim/Filter.ts"
import { type Values, groupKind, isValues, userKind } from "./scim/ResourceKind.ts"
import { patchResource } from "./scim/patchResource.ts"
import type { PatchStep } from "./scim/readPatch.ts"
import { Issues, readResource, readValue } from "./scim/readResource.ts"
import type { Caller } from "../access/Caller.ts"
import { timestamp } from "../value/calendar.ts"
import { quotaExceeded, usableQuota } from "../limits/requireQuota.ts"

/**
 * A user of a directory as SCIM shows it, and as it is kept. Rule: scim#directory-users.
 *
 * What the directory tells of a user, before it is kept.
 */
export interface UserFacts {
  readonly user_name: string
  readonly external_id: string | null
  /** Undefined: not said. */
  readonly active: boolean | undefined
  readonly attributes: Values
}

/** A name as users, groups and ids of a directory have it: a user id of Gatewarden has as many characters. */
const maxNameCharacters = 256
/** Characters of all that the directory tells of a user, as JSON. */
const maxFactsCharacters = 65_536

const requireText = (value: unknown, path: string, issues: Issues): string => {
  if (typeof value === "string" && value.trim() !== "" && codePoints(value) <= maxNameCharacters) return value
  issues.add(
    path,
    value === undefined ? "invalid_type" : "invalid_length",
    `Expected 1 to ${maxNameCharacters} characters`
  )
  return ""
}

/** The name and the external id that users and groups have, checked. */
export const readNames = (resource: Values, name: "userName" | "displayName", issues: Issues) => ({
  name: requireText(resource[name], name, issues),
  external_id: resource["externalId"] === undefined ? null : requireText(resource["externalId"], "externalId", issues)
})

/** From a resource by the names of the schema. */
export const userFactsOf = (resource: Values, issues: Issues = new Issues()): Result.Result<UserFacts, BadRequest> => {
  const { name, external_id } = readNames(resource, "userName", issues)
  const { userName: _, externalId: __, active, ...attributes } = resource
  if (issues.found.length > 0) return Result.fail(new BadRequest({ reason: "invalid_request", issues: issues.found }))
  if (JSON.stringify(attributes).length > maxFactsCharacters)
    return Result.fail(
      invalid("invalid_request", "", `Expected at most ${maxFactsCharacters} characters of attributes`)
    )
  return Result.succeed({
    user_name: name,
    external_id,
    active: typeof active === "boolean" ? active : undefined,
    attributes
  })
}

export const readUserFacts = (sent: Values): Result.Result<UserFacts, BadRequest> => {
  const issues = new Issues()
  return userFactsOf(readResource(userKind, sent, issues), issues)
}

/** The attributes that a client may change, as PATCH changes them. */
export const resourceOfUser = ({ user_name, external_id, active, attributes }: DirectoryUser): Values => ({
  userName: user_name,
  ...(external_id === null ? {} : { externalId: external_id }),
  active,
  ...attributes
})

/** Of a resource; the server puts its own address before the location. */
export const metaOf = (
  kind: "User" | "Group",
  { id, created_at, updated_at }: Pick<DirectoryUser, "id" | "created_at" | "updated_at">
) => ({ resourceType: kind, created: created_at, lastModified: updated_at, location: `/${kind}s/${id}` })

export const printedDirectoryUser = (user: DirectoryUser, groups: readonly GroupMember[]): ScimUser => ({
  schemas: [scimUrns.user, ...(scimUrns.enterpriseUser in user.attributes ? [scimUrns.enterpriseUser] : [])],
  id: user.id,
  ...resourceOfUser(user),
  groups: groups
    .filter(({ member_id }) => member_id === user.id)
    .map(({ group_id, display }) => ({ value: group_id, display, $ref: `/Groups/${group_id}` })),
  meta: metaOf("User", user)
})

/** The e-mail address and the names by which the account's list shows the user. */
export const contactOf = ({ user_name, attributes }: Pick<DirectoryUser, "user_name" | "attributes">) => {
  const emails = Array.isArray(attributes["emails"]) ? attributes["emails"].filter(isValues) : []
  const email = emails.find(({ primary }) => primary === true) ?? emails[0]
  const name = isValues(attributes["name"]) ? attributes["name"] : {}
  const text = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null)
  return {
    email: text(email?.["value"]) ?? user_name,
    first_name: text(name["givenName"]),
    last_name: text(name["familyName"])
  }
}

/** The users that `members[value eq "…" or …]` selects; undefined where it selects otherwise. */
const selected = (filter: Filter): readonly string[] | undefined => {
  if (filter.kind === "or") {
    const all = filter.filters.map(selected)
    return all.includes(undefined) ? undefined : all.flatMap((ids) => ids ?? [])
  }
  if (filter.kind !== "compare" || filter.comparison !== "eq" || filter.path.attribute.name !== "value")
    return undefined
  return typeof filter.value === "string" ? [filter.value] : undefined
}

/** The ids in a list of members. */
export const memberIds = (members: unknown): readonly string[] =>
  (Array.isArray(members) ? members : []).flatMap((member) =>
    isValues(member) && typeof member["value"] === "string" ? [member["value"].toLowerCase()] : []
  )

/** Who joins and who leaves, as the operations come. */
class Joining {
  #all = false
  readonly #add = new Set<string>()
  readonly #remove = new Set<string>()

  replace(ids: readonly string[]): void {
    this.#all = true
    this.#remove.clear()
    this.#add.clear()
    this.add(ids)
  }

  add(ids: readonly string[]): void {
    for (const id of ids) {
      this.#add.add(id)
      this.#remove.delete(id)
    }
  }

  remove(ids: readonly string[]): void {
    for (const id of ids) {
      this.#add.delete(id)
      this.#remove.add(id)
    }
  }

  get change(): MembersChange | undefined {
    if (this.#all) return { all: [...this.#add] }
    if (this.#add.size + this.#remove.size === 0) return undefined
    return { add: [...this.#add], remove: [...this.#remove] }
  }
}

const applyMembers = ({ verb, path, value, place }: PatchStep, joining: Joining): Result.Result<void, BadRequest> => {
  if (path.sub !== undefined)
    return Result.fail(invalid("invalid_attribute_path", `${place}.path`, "Members are added and removed as a whole"))
  if (path.filter !== undefined) {
    const ids = selected(path.filter)?.map((id) => id.toLowerCase())
    if (ids === undefined || verb === "replace")
      return Result.fail(invalid("invalid_filter", `${place}.path`, 'Expected members[value eq "…"] to remove'))
    return Result.succeed(verb === "remove" ? joining.remove(ids) : joining.add(ids))
  }
  const issues = new Issues()
  const ids = memberIds(readValue(path.attribute, value, place, issues))
  if (issues.found.length > 0) return Result.fail(new BadRequest({ reason: "invalid_request", issues: issues.found }))
  if (verb === "add") return Result.succeed(joining.add(ids))
  // Removed without a value, all of them are.
  const isAll = verb === "replace" || value === undefined || value === null
  return Result.succeed(isAll ? joining.replace(verb === "replace" ? ids : []) : joining.remove(ids))
}

/**
 * What a PATCH changes in a group. Members are never read: the operations come to who joins and who leaves, in whatever order they are
 * united with those of others.
 *
 * Rule: scim#patches.
 *
 * `current` are the names of the group, which PATCH may change.
 */
export const readGroupPatch = (
  current: Values,
  steps: readonly PatchStep[]
): Result.Result<GroupChange, BadRequest> => {
  const joining = new Joining()
  let resource = current
  for (const step of steps) {
    if (step.path.attribute.name === "members") {
      const applied = applyMembers(step, joining)
      if (Result.isFailure(applied)) return Result.fail(applied.failure)
      continue
    }
    const next = patchResource(resource, [step])
    if (Result.isFailure(next)) return Result.fail(next.failure)
    resource = next.success
  }
  const issues = new Issues()
  const names = readNames(resource, "displayName", issues)
  if (issues.found.length > 0) return Result.fail(new BadRequest({ reason: "invalid_request", issues: issues.found }))
  const members = joining.change
  return Result.succeed({
    ...(resource["displayName"] === current["displayName"] ? {} : { display_name: names.name }),
    ...(resource["externalId"] === current["externalId"] ? {} : { external_id: names.external_id }),
    ...(members === undefined ? {} : { members })
  })
}

/** No two users and no two groups of a directory have the same name, whatever its case. Rule: scim#directory-users, scim#directory-groups. */
export const nameTaken = (path: "userName" | "displayName") =>
  new Conflict({
    reason: "directory_name_taken",
    issues: [{ path, code: "directory_name_taken", message: "Another one in the directory has this name" }]
  })

/** A group of a directory as SCIM shows it, and as it is kept. Rule: scim#directory-groups. */
export interface GroupFacts {
  readonly display_name: string
  readonly external_id: string | null
  readonly members: readonly string[]
}

export const readGroupFacts = (sent: Values): Result.Result<GroupFacts, BadRequest> => {
  const issues = new Issues()
  const resource = readResource(groupKind, sent, issues)
  const { name, external_id } = readNames(resource, "displayName", issues)
  if (issues.found.length > 0) return Result.fail(new BadRequest({ reason: "invalid_request", issues: issues.found }))
  return Result.succeed({ display_name: name, external_id, members: [...new Set(memberIds(resource["members"]))] })
}

/** What a client may change, but members. */
export const namesOfGroup = ({ display_name, external_id }: DirectoryGroup): Values => ({
  displayName: display_name,
  ...(external_id === null ? {} : { externalId: external_id })
})

/** `members` undefined: they were not read. */
export const printedDirectoryGroup = (
  group: DirectoryGroup,
  members: readonly GroupMember[] | undefined
): ScimGroup => ({
  schemas: [scimUrns.group],
  id: group.id,
  ...namesOfGroup(group),
  ...(members === undefined
    ? {}
    : {
        members: members
          .filter(({ group_id }) => group_id === group.id)
          .map(({ member_id, display }) => ({ value: member_id, display, $ref: `/Users/${member_id}` }))
      }),
  meta: metaOf("Group", group)
})

export const refuseGroup = (refusal: GroupRefusal) => {
  switch (refusal) {
    case "taken":
      return nameTaken("displayName")
    case "unknown_member":
      return invalid("invalid_request", "members", "Expected ids of users of the directory")
    case "too_many_members":
      return invalid("invalid_request", "members", "Expected at most 10,000 members")
  }
}

/** Members by their group, or groups by their member, each looked at once. */
export const groupedMembers = (
  members: readonly GroupMember[],
  by: "group_id" | "member_id"
): ReadonlyMap<string, readonly GroupMember[]> => {
  const grouped = new Map<string, GroupMember[]>()
  for (const member of members) {
    const known = grouped.get(member[by])
    if (known === undefined) grouped.set(member[by], [member])
    else known.push(member)
  }
  return grouped
}

/**
 * The groups of as many of these users, from the first on, as are in so many groups together: of all, or of fewer.
 *
 * A user who alone is in more gets none, rather than some of them. Rule: scim#lists.
 */
export const groupsOfUsers = Effect.fnUntraced(function* (account_id: string, users: readonly string[]) {
  const most = scimLimits.members
  const places = yield* (yield* DirectoryGroups).groupsOf(account_id, users, most + 1)
  const groups = new Map<string, readonly GroupMember[]>(groupedMembers(places, "member_id"))
  if (places.length <= most) return { users, groups }
  // The last one may have more than were read.
  const cut = users.indexOf(places.at(-1)?.member_id ?? "")
  const [alone = ""] = users
  if (cut <= 0) return { users: [alone], groups: new Map<string, readonly GroupMember[]>() }
  return { users: users.slice(0, cut), groups }
})

export const groupsOfUser = (account_id: string, id: string) =>
  Effect.map(groupsOfUsers(account_id, [id]), ({ groups }): readonly GroupMember[] => groups.get(id) ?? [])

/** Nobody could manage the account any more. Rule: scim#deprovisioning. */
export const lastManagementKey = () =>
  new Conflict({
    reason: "last_management_key",
    issues: [
      {
        path: "active",
        code: "last_management_key",
        message:
          "The user has the account's last management key without restrictions. Create one that is not the user's, then send this again"
      }
    ]
  })

/** How many memberships the mappings of an account may give. Rule: scim#memberships. */
const quota = "directory_memberships_per_account"

/** What a change by this caller may give. */
export const givingOf = Effect.fnUntraced(function* ({ key_hash }: Caller) {
  return { now: yield* timestamp, spared: key_hash, most_memberships: yield* usableQuota(quota, {}) }
})

export const tooManyMemberships = quotaExceeded(
  quota,
  {},
  "The mappings of this account would give too many memberships",
  "Remove mappings, or members of mapped groups"
)
