/**
 * Assignments: which guardrail applies to which API keys and members. A key has one guardrail at most, and so has a member.
 *
 * Rule: guardrails#assignments, access#users.
 */
import * as z from "zod"
import { guardrailParams } from "./guardrail.ts"
import { json, operation } from "./operation.ts"
import { distinct, keyHash, listOf, page, text, timestamp, uuid } from "./primitives.ts"

const assigned = {
  id: uuid,
  guardrail_id: uuid,
  /** The user whose key made the assignment. */
  assigned_by: z.string().nullable(),
  created_at: timestamp
}

export const KeyAssignment = z
  .object({ ...assigned, key_hash: keyHash, key_name: z.string(), key_label: z.string() })
  .meta({ id: "KeyAssignment" })
export type KeyAssignment = z.output<typeof KeyAssignment>

export const MemberAssignment = z
  .object({
    ...assigned,
    user_id: z.string(),
    /** The account. */
    organization_id: uuid
  })
  .meta({ id: "MemberAssignment" })
export type MemberAssignment = z.output<typeof MemberAssignment>

export const KeyHashes = z.object({ key_hashes: distinct(keyHash, 1000) }).meta({ id: "KeyHashes" })
export type KeyHashes = z.output<typeof KeyHashes>

export const MemberUserIds = z.object({ member_user_ids: distinct(text(1, 256), 1000) }).meta({ id: "MemberUserIds" })
export type MemberUserIds = z.output<typeof MemberUserIds>

const tag = "Guardrails"
const guardrail_id = "7f2a9c1e-53f8-4bd8-9a55-1c0d6e8f4b21"
const params = { id: guardrail_id }
const key_hashes = ["c1a6cbb6ad0ebd72c7a4a1f1fa3ba7c7a3ccb0a9f6a35ea1d2f1e6ae53e6b3d4"] as const
const member_user_ids = ["user-7"] as const

const keyExample: KeyAssignment = {
  id: "2c5d7f0a-6b1e-4f83-8d0a-9e4b7c1a3f52",
  guardrail_id,
  key_hash: key_hashes[0],
  key_name: "Batch jobs",
  key_label: "gw-v1-Vqk...d0R",
  assigned_by: null,
  created_at: "2026-01-05T09:30:00.000Z"
}

const memberExample: MemberAssignment = {
  id: "91b3a7e4-0c2d-4e65-a8f7-5d6c3b2a1e09",
  guardrail_id,
  user_id: member_user_ids[0],
  organization_id: "3f8e2d1c-7a6b-4c5d-9e0f-1a2b3c4d5e6f",
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
  success: { schema: z.object({ assigned_count: z.int() }) },
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
  success: { schema: z.object({ unassigned_count: z.int() }) },
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
  success: { schema: z.object({ assigned_count: z.int() }) },
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
  success: { schema: z.object({ unassigned_count: z.int() }) },
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
