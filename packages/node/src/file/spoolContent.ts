/** Lets a content rest on disk, for a storage that has to be told its length and digest before its first byte. */
import { Effect, type Scope, Stream } from "effect"
import { createHash, randomBytes } from "node:crypto"
import { type FileHandle, open, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { attempt, writeStream } from "./writeStream.ts"

export interface SpooledContent {
  /** Closed with the scope. */
  readonly file: FileHandle
  readonly size: number
  /** Lowercase hex. */
  readonly sha256: string
}

/** The file has no name any more once it is open, so that nothing stays of it, however the process ends. */
export const spoolContent = <E>(
  directory: string = tmpdir(),
  content: Stream.Stream<Uint8Array, E>
): Effect.Effect<SpooledContent, E, Scope.Scope> =>
  Effect.gen(function* () {
    const file = yield* Effect.acquireRelease(
      attempt(async () => {
        const name = join(directory, `gatewarden-${randomBytes(8).toString("hex")}`)
        const opened = await open(name, "wx+", 0o600)
        await rm(name, { force: true })
        return opened
      }),
      (opened) => attempt(() => opened.close())
    )
    const hash = createHash("sha256")
    let size = 0
    yield* writeStream(
      file,
      Stream.map(content, (chunk) => {
        hash.update(chunk)
        size += chunk.length
        return chunk
      })
    )
    return { file, size, sha256: hash.digest("hex") }
  })
