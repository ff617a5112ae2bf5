/** The real server as a child process: built, started as a user starts it, stopped as an orchestrator stops it. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** The command line as `npm start` runs it. */
export const commandLine = fileURLToPath(new URL("../../../node/bin/gatewarden.js", import.meta.url))

export const managementKey = "test-management-key-0123456789-abcdefghij"

/** A program that serves, and how it says that it listens: its first group is the URL. */
export interface Program {
  readonly command: readonly string[]
  readonly announces: RegExp
}

/** `gatewarden serve`. */
const server: Program = { command: [commandLine, "serve"], announces: /^gatewarden listening on (\S+)\n/ }

/** `npm run gateway`, once it is built. */
export const gateway: Program = {
  command: [fileURLToPath(new URL("../../../../examples/gateway/dist/main.js", import.meta.url))],
  announces: server.announces
}

/** A process that was told to serve, and may not do so yet. */
export interface LaunchedServer {
  readonly dataDirectory: string
  readonly child: ChildProcess
  /** Everything written so far. */
  readonly stdout: () => string
  readonly stderr: () => string
  /** `http://HOST:PORT<base path>` as stdout says it; rejects when the process ends before. */
  readonly listening: Promise<string>
  /** The exit code, once all that was written has arrived; null after a signal. */
  readonly ended: Promise<number | null>
  /** SIGTERM, then the exit code. The data directory goes unless it was given. */
  readonly stop: () => Promise<number | null>
  /** SIGKILL, as a power cut to this process alone. The data directory stays if it was given. */
  readonly kill: () => Promise<void>
}

export interface ServerProcess extends LaunchedServer {
  readonly url: string
}

export interface ServerProcessOptions {
  /** Default: the server. */
  readonly program?: Program
  readonly environment?: Readonly<Record<string, string>>
  readonly dataDirectory?: string
}

const readyWithin = 120_000

/** Starts a server on a free port with a management key that the tests know, and does not wait for it. */
export const launchServer = async (options: ServerProcessOptions = {}): Promise<LaunchedServer> => {
  const dataDirectory = options.dataDirectory ?? (await mkdtemp(join(tmpdir(), "gatewarden-server-")))
  const { command, announces } = options.program ?? server
  const child = spawn(process.execPath, command, {
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: dataDirectory,
      PORT: "0",
      DATABASE_URL: "memory:",
      GATEWARDEN_DATA_DIR: dataDirectory,
      GATEWARDEN_MANAGEMENT_KEY: managementKey,
      // No load balancer has to notice.
      GATEWARDEN_DRAIN_DELAY_MS: "0",
      ...options.environment
    },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let stdout = ""
  let stderr = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
  const ended = once(child, "close").then(() => child.exitCode)
  const listening = new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`not listening in time\n${stderr}`)), readyWithin)
    child.stdout.on("data", () => {
      const line = announces.exec(stdout)
      if (line?.[1] === undefined) return
      clearTimeout(timer)
      resolve(line[1])
    })
    child.once("exit", (code) => {
      clearTimeout(timer)
      reject(new Error(`ended with ${code} before it listened\n${stderr}`))
    })
  })
  // Whoever waits for it is told; that nobody does is no failure.
  listening.catch(() => {})
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal)
    const code = await ended
    if (options.dataDirectory === undefined) await rm(dataDirectory, { recursive: true, force: true })
    return code
  }
  return {
    dataDirectory,
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    listening,
    ended,
    stop: () => end("SIGTERM"),
    kill: async () => void (await end("SIGKILL"))
  }
}

/** Starts a server and waits until it listens; rejects when it ends before. */
export const startServerProcess = async (options: ServerProcessOptions = {}): Promise<ServerProcess> => {
  const launched = await launchServer(options)
  return { ...launched, url: await launched.listening }
}
