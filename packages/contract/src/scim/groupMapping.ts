/** Which groups of a directory give which role in which workspaces. Rule: scim#mappings. */
import * as z from "zod"
import { json, operation } from "../operation.ts"
import { createdAt, dataOf, Deleted, documentedAs, listOf, page, updatedAt, uuid } from "../primitives.ts"

/** Descriptions of fields that several schemas here have. */
const about = {
  id: "Id of the mapping.",
  organization_id: "Id of the account.",
  scim_group_id: "Id of the directory group.",
  workspace_id: "Id of the workspace in which the group gets the role.",
  role: "Role of the group's users in the workspace."
} as const

export const MappingRole = z.enum(["admin", "member"])

export const ScimGroupMapping = z
  .object({
    id: uuid.describe(about.id),
    organization_id: uuid.describe(about.organization_id),
    scim_group_id: uuid.describe(about.scim_group_id),
    workspace_id: uuid.describe(about.workspace_id),
    role: MappingRole.describe(about.role),
    created_at: createdAt,
    updated_at: updatedAt
  })
  .meta({ id: "ScimGroupMapping", description: "A mapping that gives the users of a group a role in a workspace." })
export type ScimGroupMapping = z.output<typeof ScimGroupMapping>

export const CreateGroupMapping = z
  .object({
    scim_group_id: uuid.describe(about.scim_group_id),
    workspace_id: uuid.describe(about.workspace_id),
    role: MappingRole.describe(about.role)
  })
  .meta({ id: "CreateGroupMapping", description: "A new mapping of a group." })
export type CreateGroupMapping = z.output<typeof CreateGroupMapping>

export const MappableGroup = z
  .object({
    id: uuid.describe("Id of the directory group."),
    organization_id: uuid.describe(about.organization_id),
    display_name: z.string().describe("Name of the group."),
    external_id: z.string().nullable().describe("Id that the directory gave the group. `null`: none."),
    created_at: createdAt,
    updated_at: updatedAt
  })
  .meta({ id: "MappableGroup", description: "A group that a directory has provisioned." })
export type MappableGroup = z.output<typeof MappableGroup>

const params = { id: "2c4669b0-60f1-49b2-b0ca-731646dd9548" }
const times = { created_at: "2026-01-05T09:30:00.000Z", updated_at: "2026-01-05T09:30:00.000Z" }
const body: CreateGroupMapping = {
  scim_group_id: "cc56c65a-6916-416b-9ff2-fd73ff5dc574",
  workspace_id: "0b6f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e11",
  role: "member"
}
const organization_id = "f3b0b7a2-6a5e-4d5e-8a7b-0f5f7a1c2d33"
const example: ScimGroupMapping = { id: params.id, organization_id, ...body, ...times }

const shared = { tag: "SCIM", access: "managementKey" } as const
const idParams = z.object({ id: uuid.describe(about.id) })

export const listGroupMappings = operation({
  id: "listGroupMappings",
  ...shared,
  method: "GET",
  path: "/scim/group-mappings",
  changes: "nothing",
  summary: "List the mappings of groups to workspaces",
  query: z.object(page),
  success: { schema: listOf(ScimGroupMapping) },
  errors: [400, 401, 403, 500],
  example: { response: { data: [example], total_count: 1 } }
})

export const createGroupMapping = operation({
  id: "createGroupMapping",
  ...shared,
  method: "POST",
  path: "/scim/group-mappings",
  changes: { noun: "group_mapping", action: "create" },
  summary: "Map a group to a workspace",
  description:
    "Everybody in the group becomes a member of the workspace with the role, also who was added by hand. A mapping that is there already with the same role gives its memberships again; one with another role is 409.",
  body: json(CreateGroupMapping),
  success: { schema: dataOf(ScimGroupMapping), creates: true },
  errors: [400, 401, 403, 404, 409, 500],
  example: { body, response: { data: example } }
})

export const getGroupMapping = operation({
  id: "getGroupMapping",
  ...shared,
  method: "GET",
  path: "/scim/group-mappings/:id",
  changes: "nothing",
  summary: "Get a mapping of a group",
  params: idParams,
  success: { schema: dataOf(ScimGroupMapping) },
  errors: [401, 403, 404, 500],
  example: { params, response: { data: example } }
})

export const updateGroupMapping = operation({
  id: "updateGroupMapping",
  ...shared,
  method: "PATCH",
  path: "/scim/group-mappings/:id",
  changes: { noun: "group_mapping", action: "update" },
  summary: "Change the role that a mapping gives",
  params: idParams,
  body: json(
    z
      .object({ role: MappingRole.describe(about.role) })
      .meta({ id: "UpdateGroupMapping", description: "The role to give." })
  ),
  success: { schema: dataOf(ScimGroupMapping) },
  errors: [400, 401, 403, 404, 500],
  example: { params, body: { role: "admin" }, response: { data: { ...example, role: "admin" } } }
})

export const deleteGroupMapping = operation({
  id: "deleteGroupMapping",
  ...shared,
  method: "DELETE",
  path: "/scim/group-mappings/:id",
  changes: { noun: "group_mapping", action: "delete" },
  summary: "Delete a mapping of a group",
  description:
    "`keep_members=false` ends the memberships that no other mapping gives, and disables the keys that their users have in the workspace. `true` keeps the memberships as if they were added by hand.",
  params: idParams,
  query: z.object({
    keep_members: z
      .enum(["true", "false"])
      .transform((value) => value === "true")
      .meta({ [documentedAs]: { type: "boolean" } })
      .describe("Whether the members that the mapping gave stay in the workspace.")
  }),
  success: { schema: Deleted },
  errors: [400, 401, 403, 404, 500],
  example: { params, query: { keep_members: "false" }, response: { deleted: true } }
})

export const listMappableGroups = operation({
  id: "listMappableGroups",
  ...shared,
  method: "GET",
  path: "/scim/groups",
  changes: "nothing",
  summary: "List the groups that a directory has provisioned",
  query: z.object(page),
  success: { schema: listOf(MappableGroup) },
  errors: [400, 401, 403, 500],
  example: {
    response: {
      data: [{ id: body.scim_group_id, organization_id, display_name: "Research", external_id: null, ...times }],
      total_count: 1
    }
  }
})
