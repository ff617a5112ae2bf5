/** A new file for a secret that is still to be made: made first, so that no secret is made that cannot be kept. */
import { Effect } from "effect"
import { open, rm } from "node:fs/promises"
import { exitCode } from "../exitCode.ts"
import { type Failed, failed } from "../Failed.ts"

const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause ? String(cause.code) : "unknown cause"

/** Runs `make` and writes its secret; when that fails the file is gone again. Refuses a path that exists. */
export const writingSecret = <A, R>(path: string, make: Effect.Effect<A, Failed, R>, secretOf: (made: A) => string) =>
  Effect.acquireUseRelease(
    Effect.tryPromise({
      try: () => open(path, "wx", 0o600),
      catch: (cause) => failed(exitCode.failure, `${path} cannot be made (${codeOf(cause)})`)
    }),
    (file) =>
      Effect.gen(function* () {
        const made = yield* make
        yield* Effect.promise(() => file.writeFile(`${secretOf(made)}\n`))
        return made
      }).pipe(Effect.tapCause(() => Effect.promise(() => rm(path, { force: true })))),
    (file) => Effect.promise(() => file.close())
  )
