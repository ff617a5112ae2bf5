/** The command line as a child process, and what tests of it share. */
import { commandLine, type ServerProcessOptions, startServerProcess } from "@gatewarden/testkit/server/serverProcess"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm, stat } from "node:fs/promises"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { Effect } from "effect"
import { runCommandLine } from "../../node/src/cli/runCommandLine.ts"

/** A keyring that may be seen: it opens nothing but what tests sealed. */
export const keyring = `k1:${Buffer.alloc(32, 7).toString("base64")}`

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command to its end, with this environment and no other. */
export const gatewarden = async (
  args: readonly string[],
  environment: Readonly<Record<string, string>>
): Promise<Ended> => {
  const child = spawn(process.execPath, [commandLine, ...args], {
    env: { PATH: process.env["PATH"] ?? "", ...environment },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let stdout = ""
  let stderr = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
  await once(child, "close")
  return { code: child.exitCode, stdout, stderr }
}

/** The same as an effect. */
export const run = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  Effect.promise(() => gatewarden(args, environment))

/** The same without a process of its own, for commands that need none. */
export const gatewardenHere = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  Effect.suspend(() => {
    let stdout = ""
    let stderr = ""
    return runCommandLine({
      args,
      environment,
      stdin: Readable.from([]),
      stdout: { write: (text: string | Uint8Array) => ((stdout += String(text)), true) },
      stderr: { isTTY: false, write: (text: string | Uint8Array) => ((stderr += String(text)), true) },
      stopped: Effect.never,
      exitWithin: () => {}
    }).pipe(Effect.map((code): Ended => ({ code, stdout, stderr })))
  })

/** The same as a promise. */
export const commandHere = (args: readonly string[], environment: Readonly<Record<string, string>>): Promise<Ended> =>
  Effect.runPromise(gatewardenHere(args, environment))

/** A server that is gone when the scope closes, whatever a test did to it. */
export const server = (options: ServerProcessOptions = {}) =>
  Effect.acquireRelease(
    Effect.promise(() => startServerProcess(options)),
    ({ kill }) => Effect.promise(kill)
  )

/** What a server answers to whoever asks with this key. */
export const statusOf = async (url: string, key: string): Promise<number> =>
  (await fetch(`${url}/workspaces/default`, { headers: { authorization: `Bearer ${key}` } })).status

/** The lines of what was printed. */
export const linesOf = (text: string): readonly string[] => text.split("\n").filter((line) => line !== "")

/** Who may read a file, as `ls` would have it in octal. */
export const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8)

/** A directory that goes with the scope. */
export const temporaryDirectory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "gatewarden-test-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
)

export interface RawConnection {
  readonly send: (text: string) => void
  /** Resolves once what has arrived satisfies the check; rejects when the connection ends before. */
  readonly until: (check: (received: string) => boolean) => Promise<string>
  /** Everything, once the other side has closed. */
  readonly end: Promise<string>
  readonly destroy: () => void
}

/** A connection that says exactly what a test wants said. */
export const rawConnection = (port: number): RawConnection => {
  const socket = connect(port, "127.0.0.1").setEncoding("latin1")
  let received = ""
  socket.on("data", (text: string) => (received += text))
  socket.on("error", () => {})
  const end = new Promise<string>((resolve) => socket.once("close", () => resolve(received)))
  return {
    send: (text) => void socket.write(text),
    until: (check) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!check(received)) return
          socket.off("data", look)
          resolve(received)
        }
        socket.on("data", look)
        socket.once("close", () => reject(new Error(`closed after ${JSON.stringify(received)}`)))
        look()
      }),
    end,
    destroy: () => void socket.destroy()
  }
}

/** Sends one request as it is written, with `Connection: close`, and answers status and JSON body. */
export const sendRaw = async (
  port: number,
  head: string,
  body = ""
): Promise<{ readonly status: number; readonly json: unknown; readonly text: string }> => {
  const connection = rawConnection(port)
  connection.send(`${head.trim().replace(/\n/g, "\r\n")}\r\nConnection: close\r\n\r\n${body}`)
  const text = await connection.end
  const payload = text.slice(text.indexOf("\r\n\r\n") + 4)
  let json: unknown
  try {
    json = JSON.parse(payload)
  } catch {
    json = undefined
  }
  return { status: Number(text.split(" ")[1]), json, text }
}
