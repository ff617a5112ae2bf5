/**
 * Workspace members: users of a workspace. The host chooses their ids.
 *
 * Rule: workspaces#members, access#users: a user exists once a key or a membership names it.
 */
import * as z from "zod"
import { json, operation } from "./operation.ts"
import { createdAt, distinct, listOf, page, text, userId, uuid, workspaceId } from "./primitives.ts"
import { workspaceParams } from "./workspace.ts"

export const WorkspaceMember = z
  .object({
    id: uuid.describe("Id of the membership."),
    workspace_id: workspaceId,
    user_id: z.string().describe("Id of the user who is a member."),
    role: z.enum(["admin", "member"]).describe("Role of the user in the workspace. It gives no rights in this API."),
    created_at: createdAt
  })
  .meta({ id: "WorkspaceMember", description: "Membership of a user in a workspace." })
export type WorkspaceMember = z.output<typeof WorkspaceMember>

export const UserIds = z
  .object({ user_ids: distinct(text(1, 256), 100).describe("Ids of the users, 1 to 100.") })
  .meta({ id: "UserIds", description: "Users, by their ids." })
export type UserIds = z.output<typeof UserIds>

/** Rule: workspaces#members. */
export const AddMembers = UserIds.extend({
  user_ids: distinct(userId, 100).describe("Ids of the users, 1 to 100."),
  role: z.literal("member").describe("The role that new members have. Only a group mapping gives another.").optional()
}).meta({ id: "AddMembers", description: "Users that become members." })

const params = { id: "research" }
const user_ids = ["user-7"] as const

const example: WorkspaceMember = {
  id: "182d4215-36ae-4392-9bc2-ef6bded36698",
  workspace_id: "0b6f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e11",
  user_id: user_ids[0],
  role: "member",
  created_at: "2026-01-05T09:30:00.000Z"
}

export const listWorkspaceMembers = operation({
  id: "listWorkspaceMembers",
  method: "GET",
  path: "/workspaces/:id/members",
  tag: "Workspaces",
  changes: "nothing",
  summary: "List the members of a workspace",
  description: "Those who were added; a user whom only an API key names is none.",
  access: "managementKey",
  workspaceOf: "workspace",
  params: workspaceParams,
  query: z.object(page),
  success: { schema: listOf(WorkspaceMember) },
  errors: [400, 401, 403, 404, 500],
  example: { params, response: { data: [example], total_count: 1 } }
})

export const addWorkspaceMembers = operation({
  id: "addWorkspaceMembers",
  method: "POST",
  path: "/workspaces/:id/members/add",
  tag: "Workspaces",
  changes: { noun: "workspace_member", action: "create" },
  summary: "Add members to a workspace",
  description:
    "Answers the memberships of all users named, and how many of them are new. Who is a member already stays as is.",
  access: "managementKey",
  workspaceOf: "workspace",
  params: workspaceParams,
  body: json(AddMembers),
  success: {
    schema: z.object({
      added_count: z.int().describe("Number of users that became members."),
      data: z.array(WorkspaceMember).describe("Memberships that were added.")
    })
  },
  errors: [400, 401, 403, 404, 500],
  example: { params, body: { user_ids }, response: { added_count: 1, data: [example] } }
})

export const removeWorkspaceMembers = operation({
  id: "removeWorkspaceMembers",
  method: "POST",
  path: "/workspaces/:id/members/remove",
  tag: "Workspaces",
  changes: { noun: "workspace_member", action: "delete" },
  summary: "Remove members from a workspace",
  description:
    "All or none: refused while one of them has active API keys in the workspace. Users who are no members are not counted.",
  access: "managementKey",
  workspaceOf: "workspace",
  params: workspaceParams,
  body: json(UserIds),
  success: { schema: z.object({ removed_count: z.int().describe("Number of memberships that were removed.") }) },
  errors: [400, 401, 403, 404, 500],
  example: { params, body: { user_ids }, response: { removed_count: 1 } }
})
