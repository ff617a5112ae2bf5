/** The real engine of ClickHouse for tests: `chdb` in a process of its own, which the unmodified client reaches over HTTP. */
import { Effect, type Scope } from "effect"
import { spawn } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

const program = fileURLToPath(new URL("./chdbServer.js", import.meta.url))
const password = "loopback-0123456789"

const start = async (directory: string) => {
  const process = spawn(globalThis.process.execPath, [program, directory, password], {
    stdio: ["pipe", "pipe", "inherit"]
  })
  const ended = once(process, "exit")
  const lines = createInterface({ input: process.stdout })
  const port = await Promise.race([once(lines, "line"), ended.then(() => Promise.reject(new Error("chdb ended")))])
  return {
    url: `http://default:${password}@127.0.0.1:${String(port[0])}`,
    end: async () => {
      process.stdin.end()
      await ended
    }
  }
}

/** A server over a directory of data, for as long as the scope lives. Answers its URL. */
export const startChdbOn = (directory: string): Effect.Effect<string, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => start(directory)),
      ({ end }) => Effect.promise(end)
    ),
    ({ url }) => url
  )

const temporaryDirectory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "gatewarden-chdb-"))),
  (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
)

/** The server that `GATEWARDEN_TEST_CLICKHOUSE_URL` names, or a fresh one without data. */
export const startClickhouse: Effect.Effect<string, never, Scope.Scope> = Effect.suspend(() => {
  const url = process.env["GATEWARDEN_TEST_CLICKHOUSE_URL"]
  return url === undefined || url === "" ? Effect.flatMap(temporaryDirectory, startChdbOn) : Effect.succeed(url)
})
