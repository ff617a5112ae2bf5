/** `npm start` without npm: the server as a process, until it has answered a request. */
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { PostgresServer } from "@gatewarden/testkit/stores/postgresServer"
import { processTime } from "../processorTime.ts"
import type { Start, StartTaken } from "./StartMeasure.ts"

type Environment = Readonly<Record<string, string>>

const keyring = `bench:${randomBytes(32).toString("base64")}`

const startOnce = async (checkout: string, environment: Environment): Promise<StartTaken> => {
  const { PATH = "", HOME = "" } = process.env
  const start = performance.now()
  const child = spawn(process.execPath, [join(checkout, "packages/node/bin/gatewarden.js"), "serve", "--port", "0"], {
    env: { PATH, HOME, GATEWARDEN_DRAIN_DELAY_MS: "0", ...environment },
    stdio: ["ignore", "pipe", "ignore"]
  })
  const exited = once(child, "exit")
  try {
    const [line] = (await Promise.race([
      once(child.stdout, "data"),
      exited.then(([code]) => Promise.reject(new Error(`The server of ${checkout} ended with ${code}`)))
    ])) as [Buffer]
    const [, address] = /^gatewarden listening on (\S+)/.exec(String(line)) ?? []
    const answer = await fetch(new URL("/readyz", address))
    const elapsedMillis = performance.now() - start
    if (!answer.ok) throw new Error(`/readyz answered ${answer.status}`)
    return { elapsedMillis, processorMillis: ((await processTime(child.pid ?? 0)) ?? Number.NaN) / 1_000 }
  } finally {
    child.kill("SIGTERM")
    await exited
  }
}

/** In a data directory that nobody has used, or that a server of the same checkout has made before. */
const embedded = (name: string, isFresh: boolean): Start => ({
  name,
  run: async (checkout) => {
    const directory = await mkdtemp(join(tmpdir(), "gatewarden-start-"))
    const environment = { GATEWARDEN_DATA_DIR: directory }
    try {
      if (!isFresh) await startOnce(checkout, environment)
      return await startOnce(checkout, environment)
    } finally {
      await rm(directory, { recursive: true })
    }
  }
})

const onPostgres = ({ createDatabase }: PostgresServer, name: string, isFresh: boolean): Start => ({
  name,
  run: async (checkout) => {
    const environment = { DATABASE_URL: await createDatabase(), GATEWARDEN_KEYRING: keyring }
    if (!isFresh) await startOnce(checkout, environment)
    return startOnce(checkout, environment)
  }
})

export const servers = (postgres: PostgresServer): readonly Start[] => [
  embedded("Embedded store, fresh directory", true),
  embedded("Embedded store, existing directory", false),
  onPostgres(postgres, "PostgreSQL, empty database", true),
  onPostgres(postgres, "PostgreSQL, existing database", false)
]
