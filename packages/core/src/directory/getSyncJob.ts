import { Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import { printedSyncJob } from "./printedSyncJob.ts"
import { SyncJobs } from "../ports/directory.ts"

/** Rule: scim#sync-jobs. */
export const getSyncJob = operation("getSyncJob")(function* ({ account_id }: Caller, id: string) {
  const job = yield* (yield* SyncJobs).find(account_id, id)
  return Option.isNone(job) ? yield* notFound() : printedSyncJob(job.value)
})
