/**
 * Processor time of the processes that do the work, in microseconds: a rate says how a machine was used, this says what an operation
 * costs on any. From `/proc`; undefined where there is none, or where PostgreSQL runs on another machine.
 */
import { readdir, readFile } from "node:fs/promises"
import { type OpenConnection, openConnection } from "@gatewarden/testkit/stores/openConnection"

/** The kernel counts ticks of ten milliseconds for programs, whatever it uses itself. */
const microsOfTick = 10_000

interface ProcessTimes {
  readonly parent: number
  readonly own: number
  /** Of children that have ended and were waited for. */
  readonly ended: number
}

const timesOf = async (pid: number | string): Promise<ProcessTimes | undefined> => {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined)
  // The name of the program stands in parentheses and may have any of them itself.
  const fields = stat
    ?.slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number)
  if (fields === undefined) return undefined
  const sum = (first: number) => ((fields[first] ?? 0) + (fields[first + 1] ?? 0)) * microsOfTick
  return { parent: fields[1] ?? 0, own: sum(11), ended: sum(13) }
}

export const processTime = async (pid: number): Promise<number | undefined> => {
  if (pid === process.pid) {
    const { user, system } = process.cpuUsage()
    return user + system
  }
  return (await timesOf(pid))?.own
}

/** The first process of the server, where it is the parent of the connection's on this machine. A role may not be allowed to ask. */
const serverOf = async ({ query }: OpenConnection): Promise<number | undefined> => {
  const [row] = await query("select pg_backend_pid() as pid, pg_read_file('postmaster.pid') as file")
  const server = Number(String(row?.["file"]).split("\n")[0])
  const times = await timesOf(Number(row?.["pid"]))
  return times?.parent === server ? server : undefined
}

/** Reads the time of PostgreSQL as a whole: of its first process, of all that it has started and of those that have ended. */
export const openDatabaseTime = async (url: string): Promise<() => Promise<number | undefined>> => {
  const connection = await openConnection(url)
  const server = await serverOf(connection).catch(() => undefined)
  await connection.close()
  if (server === undefined) return () => Promise.resolve(undefined)
  return async () => {
    const all = await Promise.all((await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(timesOf))
    const first = await timesOf(server)
    return all.reduce(
      (sum, one) => sum + (one?.parent === server ? one.own : 0),
      (first?.own ?? 0) + (first?.ended ?? 0)
    )
  }
}
