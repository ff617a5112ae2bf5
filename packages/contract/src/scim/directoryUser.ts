/** Users that a directory provisions over SCIM. Rule: scim#directory-users. */
import * as z from "zod"
import { operation } from "../operation.ts"
import { scimId, scimJson, scimListOf, ScimPatch, scimQuery, scimUrns, ScimUser, ScimUserInput } from "./scim.ts"
import { listOfOne, patchOf, projection, scimOperation } from "./scimOperation.ts"

const path = "/scim/v2/Users"
const one = "/scim/v2/Users/:id"
const params = { id: "0c1a7fe2-f574-4cfc-aa5f-a4d43af2ebeb" }

const sent = {
  schemas: [scimUrns.user],
  userName: "ann@example.com",
  externalId: "00u9k2xw4hPq7ZbTn5d7",
  active: true,
  name: { givenName: "Ann", familyName: "Lee" },
  emails: [{ value: "ann@example.com", type: "work", primary: true }]
}

const example = {
  ...sent,
  id: params.id,
  groups: [],
  meta: {
    resourceType: "User",
    created: "2026-01-05T09:30:00.000Z",
    lastModified: "2026-01-05T09:30:00.000Z",
    location: `/api/v1/scim/v2/Users/${params.id}`
  }
}

export const createDirectoryUser = operation({
  id: "createDirectoryUser",
  ...scimOperation,
  method: "POST",
  path,
  changes: { noun: "directory_user", action: "create" },
  summary: "Provision a user",
  description: "The `userName` is the id of the user in Gatewarden, and stays so when it is changed later.",
  query: projection,
  body: scimJson(ScimUserInput),
  success: { schema: ScimUser, status: 201, long: "entity" },
  errors: [400, 401, 403, 409, 500],
  example: { body: sent, response: example }
})

export const getDirectoryUser = operation({
  id: "getDirectoryUser",
  ...scimOperation,
  method: "GET",
  path: one,
  changes: "nothing",
  summary: "Get a provisioned user",
  params: scimId,
  query: projection,
  success: { schema: ScimUser, long: "entity" },
  errors: [400, 401, 403, 404, 500],
  example: { params, response: example }
})

export const listDirectoryUsers = operation({
  id: "listDirectoryUsers",
  ...scimOperation,
  method: "GET",
  path,
  changes: "nothing",
  summary: "List or find provisioned users",
  query: scimQuery,
  success: { schema: scimListOf(ScimUser), long: true },
  errors: [400, 401, 403, 500],
  example: {
    query: { filter: 'userName eq "ann@example.com"' },
    response: listOfOne(example)
  }
})

export const putDirectoryUser = operation({
  id: "putDirectoryUser",
  ...scimOperation,
  method: "PUT",
  path: one,
  changes: { noun: "directory_user", action: "update" },
  summary: "Replace a provisioned user",
  description: "Attributes that are not sent are removed, but `active`, which stays.",
  params: scimId,
  query: projection,
  body: scimJson(ScimUserInput),
  success: { schema: ScimUser, long: "entity" },
  errors: [400, 401, 403, 404, 409, 500],
  example: { params, body: { ...sent, title: "Engineer" }, response: { ...example, title: "Engineer" } }
})

export const patchDirectoryUser = operation({
  id: "patchDirectoryUser",
  ...scimOperation,
  method: "PATCH",
  path: one,
  changes: { noun: "directory_user", action: "update" },
  summary: "Change a provisioned user",
  description: "All operations or none. `active` false ends the user's memberships and disables the user's keys.",
  params: scimId,
  query: projection,
  body: scimJson(ScimPatch),
  success: { schema: ScimUser, long: "entity" },
  errors: [400, 401, 403, 404, 409, 500],
  example: {
    params,
    body: patchOf("active", false),
    response: { ...example, active: false }
  }
})

export const deleteDirectoryUser = operation({
  id: "deleteDirectoryUser",
  ...scimOperation,
  method: "DELETE",
  path: one,
  changes: { noun: "directory_user", action: "delete" },
  summary: "Deprovision a user",
  description: "Ends the user's memberships, disables the user's keys and forgets what the directory told of the user.",
  params: scimId,
  success: { schema: z.undefined(), status: 204 },
  errors: [401, 403, 404, 409, 500],
  example: { params, response: undefined }
})
