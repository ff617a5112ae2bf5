import { mkdir, readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import type { TestProject } from "vitest/node"
import type { PostgresAddress } from "./postgresServer.ts"
import { startPostgresServer } from "./postgresServer.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The PostgreSQL of this run; `createDatabase(inject("postgres"))` makes a database on it. */
    readonly postgres: PostgresAddress
    /** The `snapshot` of every PGlite in memory of this run. */
    readonly pgliteSnapshot: string
  }
}

interface Run {
  readonly provided: { readonly postgres: PostgresAddress; readonly pgliteSnapshot: string }
  readonly end: () => Promise<void>
}

interface SharedRun {
  users: number
  readonly run: Promise<Run>
}

/** Kept from run to run like every cache of the tools, for as long as the version of PGlite is the same. */
const findSnapshot = async (): Promise<string> => {
  const pglite = dirname(createRequire(import.meta.url).resolve("@electric-sql/pglite"))
  const { version } = JSON.parse(await readFile(join(pglite, "..", "package.json"), "utf8")) as { version: string }
  const directory = fileURLToPath(new URL("../../../../node_modules/.cache/gatewarden/", import.meta.url))
  await mkdir(directory, { recursive: true })
  return join(directory, `pglite-${version}.tar`)
}

const begin = async (): Promise<Run> => {
  const pgliteSnapshot = await findSnapshot()
  const { url, databasePrefix, stop } = await startPostgresServer()
  return { provided: { postgres: { url, databasePrefix }, pgliteSnapshot }, end: stop }
}

// Every project of a run loads this file anew, in one process: what they share hangs on the process.
const holder = globalThis as { [key: symbol]: SharedRun | undefined }
const key = Symbol.for("gatewarden.test.postgres")

/** One server for all projects of a test run, from the first that needs it to the last that is done. */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  const shared = (holder[key] ??= { users: 0, run: begin() })
  shared.users++
  const { provided, end } = await shared.run
  project.provide("postgres", provided.postgres)
  project.provide("pgliteSnapshot", provided.pgliteSnapshot)
  return async () => {
    if (--shared.users > 0) return
    holder[key] = undefined
    await end()
  }
}
