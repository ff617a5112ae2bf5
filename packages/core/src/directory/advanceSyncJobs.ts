import { Effect } from "effect"
import { timestamp } from "../value/timestamp.ts"
import { SyncJobs } from "../ports/directory.ts"

/** One batch of the background job: a group has at most 10,000 members. Rule: scim#sync-jobs. */
export const advanceSyncJobs = Effect.gen(function* () {
  const { handled } = yield* (yield* SyncJobs).advance(yield* timestamp)
  return handled
})
