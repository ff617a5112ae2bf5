import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
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

const begin = async (): Promise<Run> => {
  const [server, directory] = await Promise.all([startPostgresServer(), mkdtemp(join(tmpdir(), "gatewarden-pglite-"))])
  return {
    provided: {
      postgres: { url: server.url, databasePrefix: server.databasePrefix },
      pgliteSnapshot: join(directory, "empty.tgz")
    },
    end: async () => {
      await Promise.all([server.stop(), rm(directory, { recursive: true, force: true })])
    }
  }
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
