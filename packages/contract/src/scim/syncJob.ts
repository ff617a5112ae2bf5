/** Gives the memberships of all mapped groups anew. Rule: scim#sync-jobs. */
import * as z from "zod"
import { operation } from "../operation.ts"
import { createdAt, dataOf, timestamp, uuid } from "../primitives.ts"

/** Descriptions of fields that several schemas here have. */
const about = {
  id: "Id of the sync job."
} as const

export const ScimSyncJob = z
  .object({
    id: uuid.describe(about.id),
    status: z.enum(["queued", "running", "succeeded", "failed"]).describe("State of the job."),
    synced_groups: z
      .int()
      .nullable()
      .describe("Number of groups whose memberships were given anew. `null`: the job has not succeeded."),
    deleted_groups: z
      .int()
      .nullable()
      .describe("Always 0 after success: only the directory deletes groups. `null`: the job has not succeeded."),
    error_message: z.string().nullable().describe("Text of the failure. `null`: the job has not failed."),
    created_at: createdAt,
    started_at: timestamp.nullable().describe("Time when the job began, in UTC. `null`: it is queued."),
    finished_at: timestamp.nullable().describe("Time when the job ended, in UTC. `null`: it is not finished.")
  })
  .meta({ id: "ScimSyncJob", description: "A job that gives the memberships of all mapped groups anew." })
export type ScimSyncJob = z.output<typeof ScimSyncJob>

const params = { id: "ef7150df-3cf4-4b86-9661-019be51ef232" }

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
  params: z.object({ id: uuid.describe(about.id) }),
  success: { schema: dataOf(ScimSyncJob) },
  errors: [401, 403, 404, 500],
  example: { params, response: { data: example } }
})
