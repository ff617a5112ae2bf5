/**
 * Contents of files as files of a directory that belongs to this process.
 *
 * Rule: operating#data-directory, files#file-storage. A content is written aside while it arrives and moved into place, so it is
 * there as a whole or not at all, after a power cut too. Only its owner may read it.
 */
import { contentPieceSize, FileContents, FileStorageUnavailable } from "@gatewarden/core/internal"
import { makePrivateDirectory } from "@gatewarden/postgres/internal"
import { Effect, Layer, Option } from "effect"
import { randomBytes } from "node:crypto"
import { type FileHandle, open, readdir, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { syncDirectory } from "../platform/privateFiles.ts"
import { attempt, readStream, writeStream } from "./writeStream.ts"

/** What ids are made of has no dots or slashes, and leaves room for the name that a content has while it is written. */
const idPattern = /^[A-Za-z0-9_-]{1,200}$/

const isMissing = (cause: unknown): boolean => cause instanceof Error && "code" in cause && cause.code === "ENOENT"

/** The port over a directory that exists. */
export const directoryFileContents = (directory: string): (typeof FileContents)["Service"] => {
  const pathOf = (id: string): Effect.Effect<string> =>
    idPattern.test(id)
      ? Effect.succeed(join(directory, id))
      : Effect.die(new FileStorageUnavailable({ cause: "not the id of a file" }))
  /** A file beside the path, gone again unless it was moved. */
  const aside = (path: string) =>
    Effect.acquireRelease(
      attempt(async () => {
        const name = `${path}.${randomBytes(8).toString("hex")}`
        return { name, file: await open(name, "wx", 0o600) }
      }),
      ({ name, file }) =>
        attempt(async () => {
          await file.close()
          await rm(name, { force: true })
        })
    )
  return FileContents.of({
    put: (id, content) =>
      Effect.flatMap(pathOf(id), (path) =>
        Effect.scoped(
          Effect.gen(function* () {
            const { name, file } = yield* aside(path)
            yield* writeStream(file, content)
            yield* attempt(async () => {
              await file.sync()
              await rename(name, path)
              await syncDirectory(directory)
            })
          })
        )
      ),
    get: (id) =>
      Effect.flatMap(pathOf(id), (path) =>
        Effect.map(
          Effect.acquireRelease(
            attempt(() => opened(path)),
            (file) => Effect.promise(async () => file?.close())
          ),
          (file) => (file === undefined ? Option.none() : Option.some(readStream(file, contentPieceSize)))
        )
      ),
    remove: (id) =>
      Effect.flatMap(pathOf(id), (path) =>
        attempt(async () => {
          await rm(path, { force: true })
          await syncDirectory(directory)
        })
      )
  })
}

/** A file to read, undefined when there is none. */
const opened = async (path: string): Promise<FileHandle | undefined> => {
  try {
    const file = await open(path, "r")
    if ((await file.stat()).isFile()) return file
    await file.close()
  } catch (cause) {
    if (isMissing(cause)) return undefined
    throw cause
  }
  throw new Error("not a file")
}

/** The same, with the directory made when missing, and freed of what a process left there that died while it wrote. */
export const layerDirectoryFileContents = (directory: string): Layer.Layer<FileContents, FileStorageUnavailable> =>
  Layer.effect(
    FileContents,
    Effect.tryPromise({
      try: async () => {
        await makePrivateDirectory(directory)
        const leftovers = (await readdir(directory)).filter((name) => !idPattern.test(name))
        for (const name of leftovers) await rm(join(directory, name), { force: true })
        return directoryFileContents(directory)
      },
      catch: (cause) => new FileStorageUnavailable({ cause })
    })
  )
