import { FileStorageUnavailable } from "@gatewarden/core/store"
import { Effect, Stream } from "effect"
import type { FileHandle } from "node:fs/promises"

/** Runs what the file system does, and dies with `FileStorageUnavailable` where it fails. */
export const attempt = <A>(run: () => Promise<A>): Effect.Effect<A> =>
  Effect.orDie(Effect.tryPromise({ try: run, catch: (cause) => new FileStorageUnavailable({ cause }) }))

/** Writes a content to an open file while it arrives. Fails as the content does. */
export const writeStream = <E>(file: FileHandle, content: Stream.Stream<Uint8Array, E>): Effect.Effect<void, E> =>
  Stream.runForEach(content, (chunk) =>
    attempt(async () => {
      // One call may take a part only.
      for (let at = 0; at < chunk.length;) at += (await file.write(chunk, at)).bytesWritten
    })
  )

/** The content of an open file from its beginning. */
export const readStream = (file: FileHandle, pieceSize: number): Stream.Stream<Uint8Array> =>
  Stream.unfold(0, (position) =>
    attempt(async () => {
      const { bytesRead, buffer } = await file.read(new Uint8Array(pieceSize), 0, pieceSize, position)
      return bytesRead === 0 ? undefined : ([buffer.subarray(0, bytesRead), position + bytesRead] as const)
    })
  )
