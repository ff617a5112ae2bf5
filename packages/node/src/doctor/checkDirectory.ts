/** The data directory of an embedded store: who may read it, who holds it, and whether it can be written. */
import { directoryHolder } from "@gatewarden/postgres/internal"
import { constants } from "node:fs"
import { access, stat, statfs } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { findMoved, movedFile } from "../store/movedFile.ts"
import { failure, fine, type Finding, warning } from "./Finding.ts"

const secrets = ["keyring", "management-key", "server.json"]
const lowSpace = 1_000_000_000

const exists = (path: string) => stat(path).catch(() => undefined)

const codeOf = (cause: unknown): string => (cause instanceof Error && "code" in cause ? String(cause.code) : "unknown")

/** The directory, or the one above it that there is. */
const nearest = async (path: string): Promise<string> =>
  (await exists(path)) === undefined && dirname(path) !== path ? nearest(dirname(path)) : path

const writable = async (directory: string): Promise<Finding> => {
  const place = await nearest(resolve(directory))
  try {
    await access(place, constants.W_OK | constants.X_OK)
    if (!((await exists(place))?.isDirectory() ?? false)) throw Object.assign(new Error(), { code: "ENOTDIR" })
    const { bavail, bsize } = await statfs(place)
    return bavail * bsize < lowSpace
      ? warning("data directory", `${directory} has less than 1 GB left`, `df -h ${place}`)
      : fine("data directory", directory)
  } catch (cause) {
    return failure(
      "data directory",
      `${directory} cannot be written (${codeOf(cause)})`,
      `mkdir -p ${directory} && chown "$(id -un)" ${directory}, or set GATEWARDEN_DATA_DIR`,
      "directory"
    )
  }
}

const privacy = async (directory: string): Promise<readonly Finding[]> => {
  const paths = ["", ...secrets].map((name) => join(directory, name))
  const found = await Promise.all(paths.map(async (path) => ({ path, facts: await exists(path) })))
  const open = found.flatMap(({ path, facts }) =>
    facts !== undefined && (facts.mode & 0o077) !== 0 ? [{ path, isDirectory: facts.isDirectory() }] : []
  )
  return open.map(({ path, isDirectory }) =>
    (isDirectory ? warning : failure)(
      "permissions",
      `Others than its owner may read ${path}`,
      `chmod ${isDirectory ? 700 : 600} ${path}`
    )
  )
}

const holding = async (directory: string): Promise<Finding | undefined> => {
  const holder = await directoryHolder(directory)
  if (holder === undefined) return undefined
  return holder.alive
    ? fine("lock", `held by process ${holder.pid}`)
    : warning(
        "lock",
        `${directory} was left locked by process ${holder.pid}, which is gone`,
        "nothing to do: the next start takes it over"
      )
}

/** Undefined where there is none yet. */
const moved = async (directory: string): Promise<Finding | undefined> => {
  const mark = await findMoved(directory)
  return (
    mark &&
    failure(
      "moved",
      `The installation was moved to ${mark.to} at ${mark.at}`,
      `export DATABASE_URL to go on there, or rm ${movedFile(directory)} to go on with the copy here`,
      "directory"
    )
  )
}

export const checkDirectory = async (directory: string): Promise<readonly Finding[]> =>
  [await writable(directory), ...(await privacy(directory)), await holding(directory), await moved(directory)].filter(
    (finding) => finding !== undefined
  )
