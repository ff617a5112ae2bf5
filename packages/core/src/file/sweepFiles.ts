/**
 * Removes the remains of interrupted uploads and deletions and of deleted workspaces, in small batches.
 */
import { Clock, Effect } from "effect"
import { formatInstant } from "../value/timestamp.ts"
import { FileContents, Files } from "../ports/files.ts"

/** Longer than any upload or deletion takes. */
const patienceMillis = 3_600_000
const atOnce = 16

/** Answers the number of files removed; 0 if none is left. Dies where the storage does not answer. */
export const sweepStaleFiles: Effect.Effect<number, never, Files | FileContents> = Effect.gen(function* () {
  const files = yield* Files
  const contents = yield* FileContents
  const now = yield* Clock.currentTimeMillis
  const stale = yield* files.stale(formatInstant(now - patienceMillis), atOnce)
  for (const id of stale) {
    yield* contents.remove(id)
    yield* files.forget(id)
  }
  return stale.length
})

/** Runs beside a request and never fails it. */
export const sweepFiles: Effect.Effect<void, never, Files | FileContents> = Effect.ignoreCause(sweepStaleFiles)
