/** Groups that a directory provisions over SCIM. Rule: scim#directory-groups. */
import * as z from "zod"
import { operation } from "../operation.ts"
import { ScimGroup, ScimGroupInput, scimId, scimJson, scimListOf, ScimPatch, scimQuery, scimUrns } from "./scim.ts"
import { listOfOne, patchOf, projection, scimOperation } from "./scimOperation.ts"

const path = "/scim/v2/Groups"
const one = "/scim/v2/Groups/:id"
const params = { id: "cc56c65a-6916-416b-9ff2-fd73ff5dc574" }

const sent = { schemas: [scimUrns.group], displayName: "Research", externalId: "00g3m8rv1dKs6YcLq5d7" }

const withoutMembers = {
  ...sent,
  id: params.id,
  meta: {
    resourceType: "Group",
    created: "2026-01-05T09:30:00.000Z",
    lastModified: "2026-01-05T09:30:00.000Z",
    location: `/api/v1/scim/v2/Groups/${params.id}`
  }
}

const example = { ...withoutMembers, members: [] }

export const createDirectoryGroup = operation({
  id: "createDirectoryGroup",
  ...scimOperation,
  method: "POST",
  path,
  changes: { noun: "directory_group", action: "create" },
  summary: "Provision a group",
  query: projection,
  body: scimJson(ScimGroupInput),
  success: { schema: ScimGroup, status: 201, long: true },
  errors: [400, 401, 403, 409, 500],
  example: { body: sent, response: example }
})

export const getDirectoryGroup = operation({
  id: "getDirectoryGroup",
  ...scimOperation,
  method: "GET",
  path: one,
  changes: "nothing",
  summary: "Get a provisioned group",
  params: scimId,
  query: projection,
  success: { schema: ScimGroup, long: true },
  errors: [400, 401, 403, 404, 500],
  example: { params, query: { excludedAttributes: "members" }, response: withoutMembers }
})

export const listDirectoryGroups = operation({
  id: "listDirectoryGroups",
  ...scimOperation,
  method: "GET",
  path,
  changes: "nothing",
  summary: "List or find provisioned groups",
  description: "A page ends early where its groups have 10,000 members together, unless `members` is excluded.",
  query: scimQuery,
  success: { schema: scimListOf(ScimGroup), long: true },
  errors: [400, 401, 403, 500],
  example: {
    query: { filter: 'displayName eq "Research"' },
    response: listOfOne(example)
  }
})

export const putDirectoryGroup = operation({
  id: "putDirectoryGroup",
  ...scimOperation,
  method: "PUT",
  path: one,
  changes: { noun: "directory_group", action: "update" },
  summary: "Replace a provisioned group with its members",
  params: scimId,
  query: projection,
  body: scimJson(ScimGroupInput),
  success: { schema: ScimGroup, long: true },
  errors: [400, 401, 403, 404, 409, 500],
  example: {
    params,
    body: { ...sent, displayName: "Research Lab" },
    response: { ...example, displayName: "Research Lab" }
  }
})

export const patchDirectoryGroup = operation({
  id: "patchDirectoryGroup",
  ...scimOperation,
  method: "PATCH",
  path: one,
  changes: { noun: "directory_group", action: "update" },
  summary: "Change a provisioned group or its members",
  description: "All operations or none. Concurrent changes of members are united.",
  params: scimId,
  body: scimJson(ScimPatch),
  success: { schema: z.undefined(), status: 204 },
  errors: [400, 401, 403, 404, 409, 500],
  example: {
    params,
    body: patchOf("displayName", "Research Lab"),
    response: undefined
  }
})

export const deleteDirectoryGroup = operation({
  id: "deleteDirectoryGroup",
  ...scimOperation,
  method: "DELETE",
  path: one,
  changes: { noun: "directory_group", action: "delete" },
  summary: "Deprovision a group",
  description: "Its mappings go with it, and the memberships that they gave.",
  params: scimId,
  success: { schema: z.undefined(), status: 204 },
  errors: [401, 403, 404, 500],
  example: { params, response: undefined }
})
