/** External users: whom an account serves, registered by the account's own names for them (Rule: access#external-users). */
import * as z from "zod"
import { json, operation } from "./operation.ts"
import { createdAt, dataOf, documentedAs, listOf, page, pathName, queryFlag, text, timestamp } from "./primitives.ts"

/** Characters of an external user's name, wherever one is sent. */
export const externalUserLength = 512

/** Any name that a row may have, also one that could not be registered. */
export const namedExternalUser = text(1, externalUserLength)

const name = namedExternalUser.refine((sent) => sent === sent.trim(), {
  message: "Expected no white space at either end",
  params: { code: "surrounding_white_space" }
})

/** White space at its ends is dropped. */
export const trimmedExternalUser = z
  .string()
  .trim()
  .pipe(namedExternalUser)
  .meta({ [documentedAs]: { type: "string", minLength: 1, maxLength: externalUserLength } })

export const ExternalUser = z
  .object({
    user: z
      .string()
      .describe(
        "Your name for the user: `user` of its requests, `external.user` of its keys, `external_user` of its usage. It never changes."
      ),
    is_active: z
      .boolean()
      .describe("Whether the external user is registered as active. Requests are decided without it."),
    created_at: createdAt,
    updated_at: timestamp.describe("Time of the last change of `is_active`, in UTC. Initially the time of creation.")
  })
  .meta({ id: "ExternalUser", description: "An end user of the account's own application." })
export type ExternalUser = z.output<typeof ExternalUser>

export const CreateExternalUser = z
  .object({
    user: name.describe("Your name for the user, compared exactly: `Ada` and `ada` are two users.")
  })
  .meta({ id: "CreateExternalUser", description: "Registration of an external user." })
export type CreateExternalUser = z.output<typeof CreateExternalUser>

export const UpdateExternalUser = z
  .object({
    is_active: z
      .boolean()
      .describe("Whether the external user is registered as active. Requests are decided without it.")
  })
  .meta({ id: "UpdateExternalUser", description: "Change of an external user." })
export type UpdateExternalUser = z.output<typeof UpdateExternalUser>

const example: ExternalUser = {
  user: "customer-4711",
  is_active: true,
  created_at: "2026-01-05T09:30:00.000Z",
  updated_at: "2026-01-05T09:30:00.000Z"
}

const tag = "Organization"
const path = "/external-users"
/** What the public API called them first. */
const alias = "/end-users"
const params = z.object({ user: pathName.describe("Your name for the external user, exactly as registered.") })
const named = { user: example.user }

export const listExternalUsers = operation({
  id: "listExternalUsers",
  method: "GET",
  path,
  alias,
  tag,
  changes: "nothing",
  summary: "List the registered external users",
  access: "managementKey",
  query: z.object({
    ...page,
    user: namedExternalUser.optional().describe("Name of an external user. Only this one is listed."),
    include_inactive: queryFlag.describe("Whether deactivated external users are listed, too.")
  }),
  success: { schema: listOf(ExternalUser) },
  errors: [400, 401, 403, 500],
  example: { response: { data: [example], total_count: 1 } }
})

export const createExternalUser = operation({
  id: "createExternalUser",
  method: "POST",
  path,
  alias,
  tag,
  changes: { noun: "external_user", action: "create" },
  summary: "Register an external user",
  description:
    "Makes no account, no key and no limit. 409 for a name that is registered, also if it was deactivated: `PATCH` activates it.",
  access: "managementKey",
  body: json(CreateExternalUser),
  success: { schema: dataOf(ExternalUser), creates: true },
  errors: [400, 401, 403, 409, 500],
  example: { body: named, response: { data: example } }
})

export const getExternalUser = operation({
  id: "getExternalUser",
  method: "GET",
  path: `${path}/:user`,
  alias: `${alias}/:user`,
  tag,
  changes: "nothing",
  summary: "Read a registered external user",
  description: "Also one that was deactivated.",
  access: "managementKey",
  params,
  success: { schema: dataOf(ExternalUser) },
  errors: [401, 403, 404, 500],
  example: { params: named, response: { data: example } }
})

export const updateExternalUser = operation({
  id: "updateExternalUser",
  method: "PATCH",
  path: `${path}/:user`,
  alias: `${alias}/:user`,
  tag,
  changes: { noun: "external_user", action: "update" },
  summary: "Activate or deactivate a registered external user",
  description: "Blocks no request: to do that, disable the keys of the user.",
  access: "managementKey",
  params,
  body: json(UpdateExternalUser),
  success: { schema: dataOf(ExternalUser) },
  errors: [400, 401, 403, 404, 500],
  example: {
    params: named,
    body: { is_active: false },
    response: { data: { ...example, is_active: false, updated_at: "2026-03-04T12:00:00.000Z" } }
  }
})

export const deleteExternalUser = operation({
  id: "deleteExternalUser",
  method: "DELETE",
  path: `${path}/:user`,
  alias: `${alias}/:user`,
  tag,
  changes: { noun: "external_user", action: "update" },
  summary: "Deactivate a registered external user",
  description: "The name stays registered, and no request is blocked. The same again succeeds.",
  access: "managementKey",
  params,
  success: { schema: z.undefined(), status: 204 },
  errors: [401, 403, 404, 500],
  example: { params: named, response: undefined }
})
