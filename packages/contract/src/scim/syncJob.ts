/** Gives the memberships of all mapped groups anew. Rule: scim#sync-jobs. */
import * as z from "zod"
import { operation } from "../operation.ts"
import { dataOf, timestamp, uuid } from "../primitives.ts"

export const ScimSyncJob = z
  .object({
    id: uuid,
    status: z.enum(["queued", "running", "succeeded", "failed"]),
    /** Of a job that has succeeded, otherwise `null`. */
    synced_groups: z.int().nullable(),
    /** 0 of a job that has succeeded: groups are deleted by the directory alone. */
    deleted_groups: z.int().nullable(),
    error_message: z.string().nullable(),
    created_at: timestamp,
    started_at: timestamp.nullable(),
    finished_at: timestamp.nullable()
  })
  .meta({ id: "ScimSyncJob" })
export type ScimSyncJob = z.output<typeof ScimSyncJob>

const params = { id: "c1b2a3d4-5e6f-4a7b-8c9d-0e1f2a3b4c5d" }

const example: ScimSyncJob = {
  id: params.id,
  status: "queued",
  synced_groups: null,
  deleted_groups: null,
  error_message: null,
  created_at: "2026-01-05T09:30:00.000Z",
  started_at: null,
  finished_at: null
}

const shared = { tag: "SCIM", access: "managementKey" } as const

export const createSyncJob = operation({
  id: "createSyncJob",
  ...shared,
  method: "POST",
  path: "/scim/sync-jobs",
  changes: { noun: "directory_sync", action: "create" },
  summary: "Give the memberships of all mapped groups anew",
  description: "In the background, group by group. While a job of the account is not finished, the answer is that job.",
  success: { schema: dataOf(ScimSyncJob), status: 202 },
  errors: [400, 401, 403, 500],
  example: { response: { data: example } }
})

export const getSyncJob = operation({
  id: "getSyncJob",
  ...shared,
  method: "GET",
  path: "/scim/sync-jobs/:id",
  changes: "nothing",
  summary: "Get the state of a sync job",
  description: "The last job of the account is kept.",
  params: z.object({ id: uuid }),
  success: { schema: dataOf(ScimSyncJob) },
  errors: [401, 403, 404, 500],
  example: { params, response: { data: example } }
})
