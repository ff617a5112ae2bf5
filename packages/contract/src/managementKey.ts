/**
 * Management keys, and what each of them is restricted to.
 *
 * Rule: access#restricted-keys. The matrix of operations and restrictions follows from the table of operations.
 */
import * as z from "zod"
import { resources } from "./documentOrder.ts"
import { manyOf } from "./manyOf.ts"
import { json, operation } from "./operation.ts"
import { createdAt, dataOf, Deleted, instant, keyHash, listOf, page, text, timestamp, uuid } from "./primitives.ts"

/** Descriptions of fields that several schemas here have. */
const about = {
  hash: "SHA-256 of the management key, in hexadecimal. It identifies the key.",
  name: "Name of the management key."
} as const

const eachOnce = "Expected each value once"

const onceEach = <T>(values: readonly T[]): boolean => new Set(values).size === values.length

/** The kinds of things that operations are about: the groups of this document. */
export const Resource = z.enum(resources)
export type Resource = z.output<typeof Resource>

export const KeyRestrictions = z
  .object({
    access: z
      .enum(["read", "write"])
      .default("write")
      .describe("`read` allows only operations that change nothing. Default: `write`."),
    workspace_ids: manyOf(uuid)
      .min(1)
      .max(100)
      .refine(onceEach, eachOnce)
      .nullable()
      .default(null)
      .describe("Workspaces that the key may act on. `null`: all of them, and everything of the whole account."),
    resources: manyOf(Resource)
      .min(1)
      .refine(onceEach, eachOnce)
      .nullable()
      .default(null)
      .describe(
        "Kinds of resources that the key may act on. `null`: all kinds. To create an API key, it needs all kinds that an API key acts on."
      )
  })
  .meta({ id: "KeyRestrictions", description: "Restrictions of a management key. All of them apply at once." })
export type KeyRestrictions = z.output<typeof KeyRestrictions>

export const ManagementKey = z
  .object({
    hash: keyHash.describe(about.hash),
    name: z.string().describe(about.name),
    label: z.string().describe("Masked rendering of the key, to recognize it."),
    restrictions: KeyRestrictions.nullable().describe(
      "Restrictions of the key. `null`: the key may do everything that a management key may."
    ),
    creator_user_id: z.string().nullable().describe("Id of the user that the key belongs to. `null`: none."),
    expires_at: timestamp.nullable().describe("Time when the key expires, in UTC. `null`: it does not expire."),
    created_at: createdAt
  })
  .meta({ id: "ManagementKey", description: "A key that manages an account." })
export type ManagementKey = z.output<typeof ManagementKey>

const example: ManagementKey = {
  hash: "34237f583d14de83a3d47629dbaebaaf04d95e0c9a2cb4dd6768ec67133ef235",
  name: "dashboard",
  label: "gwm-v1-Fmg...qZ0",
  restrictions: { access: "read", workspace_ids: null, resources: ["analytics", "keys"] },
  creator_user_id: null,
  expires_at: null,
  created_at: "2026-01-05T09:30:00.000Z"
}

export const CreateManagementKey = z
  .object({
    name: text(1, 200).describe(about.name),
    restrictions: KeyRestrictions.nullish().describe(
      "Restrictions of the key. `null` or absent: the key may do everything that a management key may."
    ),
    expires_at: instant()
      .nullish()
      .describe("Time when the key expires, later than now. `null` or absent: it does not expire.")
  })
  .meta({ id: "CreateManagementKey", description: "A new management key." })
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
  success: {
    schema: dataOf(ManagementKey).extend({ key: z.string().describe("The management key. It is shown once.") }),
    creates: true
  },
  errors: [400, 401, 403, 500],
  example: {
    body: { name: "dashboard", restrictions: { access: "read", resources: ["analytics", "keys"] } },
    response: { data: example, key: "gwm-v1-Fmg4EClS61cFMBGuPqSg0CdWjjJCdXf9PgldvMq0OXd33AqZ0" }
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
  success: { schema: listOf(ManagementKey), long: true },
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
  params: z.object({ hash: keyHash.describe(about.hash) }),
  success: { schema: Deleted },
  errors: [400, 401, 403, 404, 409, 500],
  example: { params: { hash: example.hash }, response: { deleted: true } }
})
