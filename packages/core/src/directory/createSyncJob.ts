import type { Caller } from "../access/Caller.ts"
import { Entropy } from "../platform/Entropy.ts"
import { timestamp } from "../value/timestamp.ts"
import { operation } from "../tracing/operation.ts"
import { printedSyncJob } from "./printedSyncJob.ts"
import { SyncJobs } from "../ports/directory.ts"

/** Rule: scim#sync-jobs. */
export const createSyncJob = operation("createSyncJob")(function* ({ account_id }: Caller) {
  const job = yield* (yield* SyncJobs).start(account_id, (yield* Entropy).uuid(), yield* timestamp)
  return printedSyncJob(job)
})
