/** What a SCIM client may ask about the service itself. Rule: scim#discovery. */
import * as z from "zod"
import { operation } from "../operation.ts"
import { pathName } from "../primitives.ts"
import { scimListOf, scimUrns } from "./scim.ts"
import { listOfOne, scimOperation } from "./scimOperation.ts"

const described = z.looseObject({ schemas: z.array(z.string()).describe("URNs of the schemas of this object.") })

const shared = { ...scimOperation, method: "GET", changes: "nothing" } as const

const userType = {
  schemas: [scimUrns.resourceType],
  id: "User",
  name: "User",
  endpoint: "/Users",
  schema: scimUrns.user
}
const groupSchema = { schemas: [scimUrns.schema], id: scimUrns.group, name: "Group", attributes: [] }

export const getScimServiceProviderConfig = operation({
  id: "getScimServiceProviderConfig",
  ...shared,
  path: "/scim/v2/ServiceProviderConfig",
  summary: "What the SCIM service can do",
  success: { schema: described },
  errors: [401, 403],
  example: {
    response: { schemas: [scimUrns.serviceProviderConfig], patch: { supported: true }, bulk: { supported: false } }
  }
})

export const listScimResourceTypes = operation({
  id: "listScimResourceTypes",
  ...shared,
  path: "/scim/v2/ResourceTypes",
  summary: "The kinds of SCIM resources",
  success: { schema: scimListOf(described) },
  errors: [401, 403],
  example: {
    response: listOfOne(userType)
  }
})

export const getScimResourceType = operation({
  id: "getScimResourceType",
  ...shared,
  path: "/scim/v2/ResourceTypes/:id",
  summary: "One kind of SCIM resources",
  params: z.object({ id: pathName.describe("Name of the resource type: `User` or `Group`.") }),
  success: { schema: described },
  errors: [401, 403, 404],
  example: {
    params: { id: "User" },
    response: userType
  }
})

export const listScimSchemas = operation({
  id: "listScimSchemas",
  ...shared,
  path: "/scim/v2/Schemas",
  summary: "The schemas of SCIM resources",
  success: { schema: scimListOf(described) },
  errors: [401, 403],
  example: {
    response: listOfOne(groupSchema)
  }
})

export const getScimSchema = operation({
  id: "getScimSchema",
  ...shared,
  path: "/scim/v2/Schemas/:id",
  summary: "One schema of SCIM resources",
  params: z.object({ id: pathName.describe("URN of the schema.") }),
  success: { schema: described },
  errors: [401, 403, 404],
  example: {
    params: { id: scimUrns.group },
    response: groupSchema
  }
})
