/**
 * The forms of SCIM 2.0: resources with the addresses that they are found under.
 *
 * Rule: scim#protocol. Resources name each other by paths below `/scim/v2`; the request says what stands before it.
 */
import { scimPath } from "@gatewarden/contract/internal"
import { pathWithin, type Where } from "./target.ts"

/** Whether a target lies below SCIM's path, whatever it names there. */
export const isScim = (where: Where, url: string): boolean =>
  pathWithin(where, url.split("?", 1)[0] ?? "")?.startsWith(`${scimPath}/`) === true

/** What stands before the paths of resources in the target of a request. */
const rootOf = (url: string): string => url.slice(0, url.indexOf(scimPath) + scimPath.length)

type Members = Readonly<Record<string, unknown>>

const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const withRefs = (values: unknown, root: string): unknown =>
  Array.isArray(values)
    ? values.map((value: unknown) =>
        isMembers(value) && typeof value["$ref"] === "string" ? { ...value, $ref: root + value["$ref"] } : value
      )
    : values

const locatedAt = (resource: unknown, root: string): unknown => {
  if (!isMembers(resource)) return resource
  const { meta, members, groups } = resource
  return {
    ...resource,
    ...(isMembers(meta) && typeof meta["location"] === "string"
      ? { meta: { ...meta, location: root + meta["location"] } }
      : {}),
    ...(members === undefined ? {} : { members: withRefs(members, root) }),
    ...(groups === undefined ? {} : { groups: withRefs(groups, root) })
  }
}

/** The answer with whole addresses. */
export const located = (answer: unknown, url: string): unknown => {
  const root = rootOf(url)
  if (!isMembers(answer) || !Array.isArray(answer["Resources"])) return locatedAt(answer, root)
  return { ...answer, Resources: answer["Resources"].map((resource) => locatedAt(resource, root)) }
}

/** The address of a resource that is answered by itself. */
export const locationOf = (answer: unknown): string | undefined => {
  const meta = isMembers(answer) ? answer["meta"] : undefined
  const location = isMembers(meta) ? meta["location"] : undefined
  return typeof location === "string" ? location : undefined
}
