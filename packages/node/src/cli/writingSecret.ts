/** A new file for a secret. The file is created before the secret, so that no secret is lost because it cannot be written. */
import { Effect } from "effect"
import { type FileHandle, open, rm } from "node:fs/promises"
import type { Failed } from "../failure/Failed.ts"
import { fileFailure } from "../failure/fileFailure.ts"

/** More than any secret takes. */
const roomBytes = 1_024

/** On a full disk a file can be created but not written. These bytes reserve the space that the secret then overwrites. */
const reserveSpace = async (file: FileHandle): Promise<void> => {
  await file.writeFile(" ".repeat(roomBytes))
  await file.sync()
}

const fillRoom = async (file: FileHandle, secret: string): Promise<void> => {
  const text = Buffer.from(`${secret}\n`)
  await file.write(text, 0, text.length, 0)
  await file.truncate(text.length)
}

/** Runs `make` and writes its secret; deletes the file if that fails. Refuses a path that exists. */
export const writingSecret = <A, R>(path: string, make: Effect.Effect<A, Failed, R>, secretOf: (made: A) => string) =>
  Effect.acquireUseRelease(
    Effect.tryPromise({
      try: () => open(path, "wx", 0o600),
      catch: (cause) => fileFailure(`${path} cannot be made`, cause)
    }),
    (file) =>
      Effect.gen(function* () {
        yield* Effect.tryPromise({
          try: () => reserveSpace(file),
          catch: (cause) => fileFailure(`${path} cannot be written`, cause)
        })
        const made = yield* make
        yield* Effect.promise(() => fillRoom(file, secretOf(made)))
        return made
      }).pipe(Effect.tapCause(() => Effect.promise(() => rm(path, { force: true })))),
    (file) => Effect.promise(() => file.close())
  )
