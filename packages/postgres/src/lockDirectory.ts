import { Data } from "effect"
import { randomUUID } from "node:crypto"
import { link, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"

/** The process that holds a directory. `started` tells it from a later process with the same id, where known. */
interface Holder {
  readonly pid: number
  readonly started: string | undefined
}

const lockFile = "gatewarden.lock"
const attempts = 5

const isErrno = (cause: unknown, ...codes: string[]): boolean =>
  cause instanceof Error && "code" in cause && codes.includes(String(cause.code))

/** Start time of a process in clock ticks since boot, where the system tells (Linux, proc(5), field 22). */
const startTime = async (pid: number): Promise<string | undefined> => {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]
}

const isAlive = async (holder: Holder): Promise<boolean> => {
  try {
    process.kill(holder.pid, 0)
  } catch (cause) {
    if (isErrno(cause, "ESRCH")) return false
  }
  return holder.started === undefined || holder.started === (await startTime(holder.pid))
}

const parseHolder = (text: string): Holder | undefined => {
  const [pid, started] = text.split("\n")
  return pid !== undefined && /^\d+$/.test(pid) ? { pid: Number(pid), started: started || undefined } : undefined
}

/** The directory belongs to a live process of this machine. */
export class DirectoryInUse extends Data.TaggedError("DirectoryInUse")<{
  readonly directory: string
  readonly pid: number
}> {
  override readonly message = `The data directory ${this.directory} is in use by process ${this.pid}. Stop it, or choose another directory.`
}

/**
 * Makes the directory if it is missing and claims it for this process; answers how to give it back.
 *
 * PGlite does not notice that two processes write one directory, and destroys it. The lock of a process that died is
 * taken over. It holds between processes of one machine, not between machines or containers that share a volume.
 */
export const lockDirectory = async (directory: string): Promise<() => Promise<void>> => {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const path = join(directory, lockFile)
  const aside = `${path}.${randomUUID()}`
  const own = `${process.pid}\n${(await startTime(process.pid)) ?? ""}\n${randomUUID()}\n`
  const read = (file: string) => readFile(file, "utf8").catch(() => undefined)
  const release = async (): Promise<void> => {
    if ((await read(path)) === own) await rm(path, { force: true })
  }
  await writeFile(aside, own)
  try {
    for (let attempt = 1; attempt <= attempts; attempt++) {
      // A link appears with its content or not at all, so no one reads half a lock.
      const taken = await link(aside, path).then(
        () => true,
        (cause: unknown) => {
          if (isErrno(cause, "EEXIST")) return false
          throw cause
        }
      )
      if (taken) return release
      const found = await read(path)
      if (found === undefined) continue
      const holder = parseHolder(found)
      if (holder !== undefined && (await isAlive(holder))) throw new DirectoryInUse({ directory, pid: holder.pid })
      // Between reading the dead process's lock and moving it away, another process may have put its own there.
      const moved = `${aside}.stale`
      await rename(path, moved).catch(() => undefined)
      const removed = await read(moved)
      if (removed !== undefined && removed !== found) await link(moved, path).catch(() => undefined)
      await rm(moved, { force: true })
    }
    throw new Error(`The data directory ${directory} could not be locked`)
  } finally {
    await rm(aside, { force: true })
  }
}
