/**
 * The users of an account. Gatewarden knows a user by the id that a key or a membership gives; the host knows the rest.
 *
 * Rule: access#users.
 */
import * as z from "zod"
import { operation } from "./operation.ts"
import { listOf, page } from "./primitives.ts"

/** What tells an id that is an e-mail address from another one. */
export const EmailAddress = z.email()

export const OrganizationMember = z
  .object({
    id: z.string().describe("Id of the user, as keys and memberships name it."),
    email: z
      .string()
      .describe('E-mail address from the directory, otherwise the id if it is an address. `""`: not known.'),
    first_name: z
      .string()
      .nullable()
      .describe("Given name of the user. `null`: no directory has provisioned the user."),
    last_name: z
      .string()
      .nullable()
      .describe("Family name of the user. `null`: no directory has provisioned the user."),
    role: z
      .enum(["org:admin", "org:member"])
      .describe("`org:admin`: a management key that is neither disabled nor expired belongs to the user.")
  })
  .meta({ id: "OrganizationMember", description: "A user of the account." })
export type OrganizationMember = z.output<typeof OrganizationMember>

export const listOrganizationMembers = operation({
  id: "listOrganizationMembers",
  method: "GET",
  path: "/organization/members",
  tag: "Organization",
  changes: "nothing",
  summary: "List the users of the account",
  description:
    'Everybody whom an API key, a management key or a membership names, by id. Names are `null` and `email` is `""` unless the id is an address, because the host manages users and Gatewarden knows their ids alone.',
  access: "managementKey",
  query: z.object(page),
  success: { schema: listOf(OrganizationMember) },
  errors: [400, 401, 403, 500],
  example: {
    response: {
      data: [
        { id: "ann@example.com", email: "ann@example.com", first_name: null, last_name: null, role: "org:admin" },
        { id: "user-7", email: "", first_name: null, last_name: null, role: "org:member" }
      ],
      total_count: 2
    }
  }
})
