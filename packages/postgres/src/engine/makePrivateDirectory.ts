import { mkdir, stat } from "node:fs/promises"
import { dirname, resolve } from "node:path"

const isErrno = (cause: unknown, code: string): boolean =>
  cause instanceof Error && "code" in cause && cause.code === code

/**
 * Makes a directory with those above it that are missing, for its owner only. One that exists is left as it is.
 *
 * `mkdir` of Node with `recursive` never ends where a directory exists and takes no entries, as `/proc` does: it takes the
 * `ENOENT` of the child for a missing parent, again and again. Here each level is tried twice at most.
 */
export const makePrivateDirectory = async (path: string): Promise<void> => {
  const absolute = resolve(path)
  const make = () => mkdir(absolute, { mode: 0o700 })
  try {
    await make()
  } catch (cause) {
    const parent = dirname(absolute)
    if (isErrno(cause, "ENOENT") && parent !== absolute) {
      await makePrivateDirectory(parent)
      await make().catch(unlessDirectory(absolute))
    } else await unlessDirectory(absolute)(cause)
  }
}

/** Somebody may have made it meanwhile; a file in its place stays a failure. */
const unlessDirectory =
  (path: string) =>
  async (cause: unknown): Promise<void> => {
    if (!isErrno(cause, "EEXIST") || !(await stat(path)).isDirectory()) throw cause
  }
