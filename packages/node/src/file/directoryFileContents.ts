/**
 * Contents of files as files of a directory that belongs to this process.
 *
 * Source: decisions 1 (`GATEWARDEN_DATA_DIR`) and 11. A content is written aside and moved into place, so it is there as a
 * whole or not at all, after a power cut too. Only its owner may read it.
 */
import { FileContents, FileStorageUnavailable } from "@gatewarden/core/effect"
import { Effect, Layer, Option } from "effect"
import { readdir, readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import { makePrivateDirectory, syncDirectory, writePrivateFile } from "../store/privateFiles.ts"

/** What ids are made of has no dots or slashes, and leaves room for the name that a content has while it is written. */
const idPattern = /^[A-Za-z0-9_-]{1,200}$/

const attempt = <A>(run: () => Promise<A>): Effect.Effect<A> =>
  Effect.orDie(Effect.tryPromise({ try: run, catch: (cause) => new FileStorageUnavailable({ cause }) }))

const isMissing = (cause: unknown): boolean => cause instanceof Error && "code" in cause && cause.code === "ENOENT"

/** The port over a directory that exists. */
export const directoryFileContents = (directory: string): (typeof FileContents)["Service"] => {
  const pathOf = (id: string): string => {
    if (!idPattern.test(id)) throw new TypeError("not the id of a file")
    return join(directory, id)
  }
  return FileContents.of({
    put: (id, bytes) => attempt(() => writePrivateFile(pathOf(id), bytes)),
    get: (id) =>
      attempt(async () => {
        try {
          return Option.some(new Uint8Array(await readFile(pathOf(id))))
        } catch (cause) {
          if (isMissing(cause)) return Option.none()
          throw cause
        }
      }),
    remove: (id) =>
      attempt(async () => {
        await rm(pathOf(id), { force: true })
        await syncDirectory(directory)
      })
  })
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
