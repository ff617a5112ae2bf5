/**
 * Management keys, and what each of them is restricted to.
 *
 * Rule: access#restricted-keys. The matrix of operations and restrictions follows from the table of operations.
 */
import * as z from "zod"
import { resources } from "./documentOrder.ts"
import { manyOf } from "./manyOf.ts"
import { json, operation } from "./operation.ts"
import { dataOf, Deleted, instant, keyHash, listOf, page, text, timestamp, uuid } from "./primitives.ts"

const eachOnce = "Expected each value once"

const onceEach = <T>(values: readonly T[]): boolean => new Set(values).size === values.length

/** The kinds of things that operations are about: the groups of this document. */
export const Resource = z.enum(resources)
export type Resource = z.output<typeof Resource>

/** What a management key may do. All restrictions apply at once. */
export const KeyRestrictions = z
  .object({
    /** `read`: only operations that change nothing. */
    access: z.enum(["read", "write"]).default("write"),
    /** `null`: every workspace, and what belongs to the whole account. */
    workspace_ids: manyOf(uuid).min(1).max(100).refine(onceEach, eachOnce).nullable().default(null),
    /** `null`: every kind of thing. Making an API key also needs all that an API key acts on. */
    resources: manyOf(Resource).min(1).refine(onceEach, eachOnce).nullable().default(null)
  })
  .meta({ id: "KeyRestrictions" })
export type KeyRestrictions = z.output<typeof KeyRestrictions>

export const ManagementKey = z
  .object({
    hash: keyHash,
    name: z.string(),
    label: z.string(),
    /** `null`: the key may do everything that a management key may. */
    restrictions: KeyRestrictions.nullable(),
    creator_user_id: z.string().nullable(),
    expires_at: timestamp.nullable(),
    created_at: timestamp
  })
  .meta({ id: "ManagementKey" })
export type ManagementKey = z.output<typeof ManagementKey>

const example: ManagementKey = {
  hash: "f01d52606dc8f0a8303a7b5cc3fa07109c2e346cec7c0a16b40de462992ce943",
  name: "dashboard",
  label: "gwm-v1-abc...xyz",
  restrictions: { access: "read", workspace_ids: null, resources: ["analytics", "keys"] },
  creator_user_id: null,
  expires_at: null,
  created_at: "2026-01-05T09:30:00.000Z"
}

export const CreateManagementKey = z
  .object({
    name: text(1, 200),
    restrictions: KeyRestrictions.nullish(),
    /** Later than now. */
    expires_at: instant().nullish()
  })
  .meta({ id: "CreateManagementKey" })
export type CreateManagementKey = z.output<typeof CreateManagementKey>

export const createManagementKey = operation({
  id: "createManagementKey",
  method: "POST",
  path: "/gateway/management-keys",
  tag: "Keys",
  changes: { noun: "key", action: "create" },
  summary: "Create a management key, restricted or not",
  description: "The key is in this answer only. A restricted key may not call this operation.",
  access: "managementKey",
  unrestrictedOnly: true,
  body: json(CreateManagementKey),
  success: { schema: dataOf(ManagementKey).extend({ key: z.string() }), creates: true },
  errors: [400, 401, 403, 500],
  example: {
    body: { name: "dashboard", restrictions: { access: "read", resources: ["analytics", "keys"] } },
    response: { data: example, key: "gwm-v1-…" }
  }
})

export const listManagementKeys = operation({
  id: "listManagementKeys",
  method: "GET",
  path: "/gateway/management-keys",
  tag: "Keys",
  changes: "nothing",
  summary: "List the management keys of the account",
  description: "Oldest first, expired and revoked ones too.",
  access: "managementKey",
  unrestrictedOnly: true,
  query: z.object(page),
  success: { schema: listOf(ManagementKey) },
  errors: [400, 401, 403, 500],
  example: { query: { limit: "10" }, response: { data: [example], total_count: 1 } }
})

export const deleteManagementKey = operation({
  id: "deleteManagementKey",
  method: "DELETE",
  path: "/gateway/management-keys/:hash",
  tag: "Keys",
  changes: { noun: "key", action: "update" },
  summary: "Revoke a management key",
  description: "The key is refused from now on. The account's last management key without restrictions stays: 409.",
  access: "managementKey",
  unrestrictedOnly: true,
  params: z.object({ hash: keyHash }),
  success: { schema: Deleted },
  errors: [400, 401, 403, 404, 409, 500],
  example: { params: { hash: example.hash }, response: { deleted: true } }
})
