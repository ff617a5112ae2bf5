/**
 * Takes away what broken-off uploads and deletions and deleted workspaces have left, a little at a time.
 *
 * It runs beside requests about files, so that nothing needs to run all the time, and never fails them.
 */
import { Clock, Effect } from "effect"
import { formatInstant } from "../value/timestamp.ts"
import { FileContents } from "./FileContents.ts"
import { Files } from "./Files.ts"

/** Longer than any upload or deletion takes. */
const patienceMillis = 3_600_000
const atOnce = 16

export const sweepFiles: Effect.Effect<void, never, Files | FileContents> = Effect.gen(function* () {
  const files = yield* Files
  const contents = yield* FileContents
  const now = yield* Clock.currentTimeMillis
  for (const id of yield* files.stale(formatInstant(now - patienceMillis), atOnce)) {
    yield* contents.remove(id)
    yield* files.forget(id)
  }
}).pipe(Effect.ignoreCause)
