/**
 * Assignments: which guardrail applies to which API keys and members. A key has one guardrail at most, and so has a member.
 *
 * Rule: guardrails#assignments, access#users.
 */
import * as z from "zod"
import { guardrailParams } from "./guardrail.ts"
import { json, operation } from "./operation.ts"
import { createdAt, distinct, keyHash, listOf, page, text, uuid } from "./primitives.ts"

/** Descriptions of fields that several schemas here have. */
const about = {
  assigned_count: "Number of distinct keys or members in the request. All of them have the guardrail now.",
  unassigned_count: "Number of assignments that the request removed."
} as const

const assigned = {
  id: uuid.describe("Id of the assignment."),
  guardrail_id: uuid.describe("Id of the assigned guardrail."),
  assigned_by: z
    .string()
    .nullable()
    .describe("Id of the user whose key made the assignment. `null`: the key has no user."),
  created_at: createdAt
}

export const KeyAssignment = z
  .object({
    ...assigned,
    key_hash: keyHash.describe("Hash of the API key that the guardrail is assigned to."),
    key_name: z.string().describe("Name of the API key."),
    key_label: z.string().describe("Masked rendering of the API key.")
  })
  .meta({ id: "KeyAssignment", description: "The assignment of a guardrail to an API key." })
export type KeyAssignment = z.output<typeof KeyAssignment>

export const MemberAssignment = z
  .object({
    ...assigned,
    user_id: z.string().describe("Id of the user that the guardrail is assigned to."),
    organization_id: uuid.describe("Id of the account.")
  })
  .meta({ id: "MemberAssignment", description: "The assignment of a guardrail to a user." })
export type MemberAssignment = z.output<typeof MemberAssignment>

export const KeyHashes = z
  .object({ key_hashes: distinct(keyHash, 1000).describe("Hashes of API keys of the account, 1 to 1,000.") })
  .meta({ id: "KeyHashes", description: "API keys, by their hashes." })
export type KeyHashes = z.output<typeof KeyHashes>

export const MemberUserIds = z
  .object({ member_user_ids: distinct(text(1, 256), 1000).describe("Ids of users of the account, 1 to 1,000.") })
  .meta({ id: "MemberUserIds", description: "Users, by their ids." })
export type MemberUserIds = z.output<typeof MemberUserIds>

const tag = "Guardrails"
const guardrail_id = "7f2a9c1e-53f8-4bd8-9a55-1c0d6e8f4b21"
const params = { id: guardrail_id }
const key_hashes = ["894143ae2e17fbfeed0d6b4ef7e882b16ae65c259617ef1f829ccb8195cf721a"] as const
const member_user_ids = ["user-7"] as const

const keyExample: KeyAssignment = {
  id: "2c5d7f0a-6b1e-4f83-8d0a-9e4b7c1a3f52",
  guardrail_id,
  key_hash: key_hashes[0],
  key_name: "Batch jobs",
  key_label: "gw-v1-nVx...lJN",
  assigned_by: null,
  created_at: "2026-01-05T09:30:00.000Z"
}

const memberExample: MemberAssignment = {
  id: "835a851b-50fb-4ba7-8e54-2aa9dfce344c",
  guardrail_id,
  user_id: member_user_ids[0],
  organization_id: "f3b0b7a2-6a5e-4d5e-8a7b-0f5f7a1c2d33",
  assigned_by: null,
  created_at: "2026-01-05T09:30:00.000Z"
}

export const assignKeys = operation({
  id: "assignKeys",
  method: "POST",
  path: "/guardrails/:id/assignments/keys",
  changes: { noun: "key_assignment", action: "assign" },
  tag,
  summary: "Assign API keys to a guardrail",
  description:
    "All or none: every hash must name a key of the account that has not expired and is no management key. A guardrail that a key had before is replaced; repeating an assignment changes nothing. Guardrail and key may be of different workspaces. Answers how many keys were named.",
  access: "managementKey",
  workspaceOf: "guardrail",
  params: guardrailParams,
  body: json(KeyHashes),
  success: { schema: z.object({ assigned_count: z.int().describe(about.assigned_count) }) },
  errors: [400, 401, 403, 404, 500],
  example: { params, body: { key_hashes }, response: { assigned_count: 1 } }
})

export const unassignKeys = operation({
  id: "unassignKeys",
  method: "POST",
  path: "/guardrails/:id/assignments/keys/remove",
  changes: { noun: "key_assignment", action: "unassign" },
  tag,
  summary: "Take a guardrail off API keys",
  description: "Keys that do not have this guardrail are left alone and not counted.",
  access: "managementKey",
  workspaceOf: "guardrail",
  params: guardrailParams,
  body: json(KeyHashes),
  success: { schema: z.object({ unassigned_count: z.int().describe(about.unassigned_count) }) },
  errors: [400, 401, 403, 404, 500],
  example: { params, body: { key_hashes }, response: { unassigned_count: 1 } }
})

export const listGuardrailKeyAssignments = operation({
  id: "listGuardrailKeyAssignments",
  method: "GET",
  path: "/guardrails/:id/assignments/keys",
  changes: "nothing",
  tag,
  summary: "List the API keys that have a guardrail",
  access: "managementKey",
  workspaceOf: "guardrail",
  params: guardrailParams,
  query: z.object(page),
  success: { schema: listOf(KeyAssignment) },
  errors: [400, 401, 403, 404, 500],
  example: { params, response: { data: [keyExample], total_count: 1 } }
})

export const listKeyAssignments = operation({
  id: "listKeyAssignments",
  method: "GET",
  path: "/guardrails/assignments/keys",
  changes: "nothing",
  tag,
  summary: "List the guardrails of all API keys of the account",
  access: "managementKey",
  query: z.object(page),
  success: { schema: listOf(KeyAssignment) },
  errors: [400, 401, 403, 500],
  example: { response: { data: [keyExample], total_count: 1 } }
})

export const assignMembers = operation({
  id: "assignMembers",
  method: "POST",
  path: "/guardrails/:id/assignments/members",
  changes: { noun: "member_assignment", action: "assign" },
  tag,
  summary: "Assign members to a guardrail",
  description:
    "The guardrail then governs every API key of these users, beside the one that a key has itself. All or none: a user exists once a key or a membership names it. A guardrail that a member had before is replaced. Answers how many users were named.",
  access: "managementKey",
  params: guardrailParams,
  body: json(MemberUserIds),
  success: { schema: z.object({ assigned_count: z.int().describe(about.assigned_count) }) },
  errors: [400, 401, 403, 404, 500],
  example: { params, body: { member_user_ids }, response: { assigned_count: 1 } }
})

export const unassignMembers = operation({
  id: "unassignMembers",
  method: "POST",
  path: "/guardrails/:id/assignments/members/remove",
  changes: { noun: "member_assignment", action: "unassign" },
  tag,
  summary: "Take a guardrail off members",
  description: "Users who do not have this guardrail are left alone and not counted.",
  access: "managementKey",
  params: guardrailParams,
  body: json(MemberUserIds),
  success: { schema: z.object({ unassigned_count: z.int().describe(about.unassigned_count) }) },
  errors: [400, 401, 403, 404, 500],
  example: { params, body: { member_user_ids }, response: { unassigned_count: 1 } }
})

export const listGuardrailMemberAssignments = operation({
  id: "listGuardrailMemberAssignments",
  method: "GET",
  path: "/guardrails/:id/assignments/members",
  changes: "nothing",
  tag,
  summary: "List the members who have a guardrail",
  access: "managementKey",
  workspaceOf: "guardrail",
  params: guardrailParams,
  query: z.object(page),
  success: { schema: listOf(MemberAssignment) },
  errors: [400, 401, 403, 404, 500],
  example: { params, response: { data: [memberExample], total_count: 1 } }
})

export const listMemberAssignments = operation({
  id: "listMemberAssignments",
  method: "GET",
  path: "/guardrails/assignments/members",
  changes: "nothing",
  tag,
  summary: "List the guardrails of all members of the account",
  access: "managementKey",
  query: z.object(page),
  success: { schema: listOf(MemberAssignment) },
  errors: [400, 401, 403, 500],
  example: { response: { data: [memberExample], total_count: 1 } }
})
