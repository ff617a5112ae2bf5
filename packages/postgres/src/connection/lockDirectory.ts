import { Data } from "effect"
import { createHash, randomUUID } from "node:crypto"
import { link, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"

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

/** The process that holds a directory. `started` tells it from a later process with the same id, where known. */
interface Holder {
  readonly pid: number
  readonly started: string | undefined
}

const lockFile = "gatewarden.lock"
const attempts = 10

const isErrno = (cause: unknown, ...codes: string[]): boolean =>
  cause instanceof Error && "code" in cause && codes.includes(String(cause.code))

/**
 * State and start time of a process, the latter in clock ticks since boot, where the system tells (Linux, proc(5), fields 3
 * and 22; field 2 is a name in parentheses and may hold anything).
 */
const processStat = async (pid: number) => {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return { state: fields[0], started: fields[19] }
}

const isAlive = async (holder: Holder): Promise<boolean> => {
  try {
    process.kill(holder.pid, 0)
  } catch (cause) {
    if (isErrno(cause, "ESRCH")) return false
  }
  const { state, started } = await processStat(holder.pid)
  // A zombie has ended and writes nothing; its id stays until its parent asks for its exit code, perhaps never.
  if (state === "Z" || state === "X") return false
  return holder.started === undefined || holder.started === started
}

const parseHolder = (text: string): Holder | undefined => {
  const [pid, started] = text.split("\n")
  return pid !== undefined && /^\d+$/.test(pid) ? { pid: Number(pid), started: started || undefined } : undefined
}

/** Who claims a directory, and whether that process lives; undefined where nobody does. Changes nothing. */
export const directoryHolder = async (
  directory: string
): Promise<{ readonly pid: number; readonly alive: boolean } | undefined> => {
  const holder = parseHolder((await read(join(directory, lockFile))) ?? "")
  return holder && { pid: holder.pid, alive: await isAlive(holder) }
}

/** The directory belongs to a live process of this machine. */
export class DirectoryInUse extends Data.TaggedError("DirectoryInUse")<{
  readonly directory: string
  readonly pid: number
}> {
  override readonly message = `The data directory ${this.directory} is in use by process ${this.pid}. Stop it, or choose another directory.`
}

const read = (path: string): Promise<string | undefined> => readFile(path, "utf8").catch(() => undefined)

/** A link appears with its whole content or, where there is a file already, not at all. */
const linked = (from: string, to: string): Promise<boolean> =>
  link(from, to).then(
    () => true,
    (cause: unknown) => {
      if (isErrno(cause, "EEXIST")) return false
      throw cause
    }
  )

/** The file by which one process claims the succession of one lock: no two locks have the same text. */
const claimOf = (path: string, text: string): string =>
  `${path}.${createHash("sha256").update(text).digest("hex").slice(0, 32)}`

/**
 * Puts `own` in the place of a lock whose holder died. The claim decides between those who try at once; whoever finds,
 * after claiming, that the lock has changed was late and gives up. A claimant that dies is succeeded like a holder.
 */
const succeed = async (directory: string, path: string, own: string): Promise<boolean> => {
  const lock = await read(path)
  const dead: string[] = []
  let file = path
  for (let text = lock; text !== undefined; text = await read(file)) {
    const holder = parseHolder(text)
    if (holder !== undefined && (await isAlive(holder))) throw new DirectoryInUse({ directory, pid: holder.pid })
    dead.push(file)
    file = claimOf(path, text)
  }
  if (lock === undefined || !(await linked(own, file))) return false
  if ((await read(path)) !== lock) {
    await rm(file, { force: true })
    return false
  }
  await rename(file, path)
  await Promise.all(dead.slice(1).map((claim) => rm(claim, { force: true })))
  return true
}

/**
 * Makes the directory if it is missing and claims it for this process; answers how to give it back.
 *
 * PGlite does not notice that two processes write one directory, and destroys it. The lock of a process that died is
 * taken over. It holds between processes of one machine, not between machines or containers that share a volume.
 */
export const lockDirectory = async (directory: string): Promise<() => Promise<void>> => {
  await makePrivateDirectory(directory)
  const path = join(directory, lockFile)
  const token = randomUUID()
  const own = `${path}.${token}`
  const text = `${process.pid}\n${(await processStat(process.pid)).started ?? ""}\n${token}\n`
  await writeFile(own, text)
  try {
    for (let attempt = 1; attempt <= attempts; attempt++)
      if ((await linked(own, path)) || (await succeed(directory, path, own)))
        return async () => {
          if ((await read(path)) === text) await rm(path, { force: true })
        }
    throw new Error(`The data directory ${directory} could not be locked`)
  } finally {
    await rm(own, { force: true })
  }
}
