/** A user of a directory as SCIM shows it, and as it is kept. Rule: scim#directory-users. */
import { codePoints, scimUrns, type ScimUser } from "@gatewarden/contract"
import { Result } from "effect"
import { BadRequest, invalid } from "../value/failure.ts"
import type { DirectoryUser, GroupMember } from "../ports/directory.ts"
import { Issues, readResource } from "./scim/readResource.ts"
import { isValues, userKind, type Values } from "./scim/ResourceKind.ts"

/** What the directory tells of a user, before it is kept. */
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
