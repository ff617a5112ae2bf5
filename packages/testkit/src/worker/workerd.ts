/** The real `workerd` as a child process, for Workers under test. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createRequire } from "node:module"
import { createInterface } from "node:readline"
import type { Readable } from "node:stream"

const { default: binary } = createRequire(import.meta.url)("workerd") as { readonly default: string }

export interface WorkerdOptions {
  /** The path of a configuration with a socket `http`; what it embeds lies beside it. */
  readonly configuration: string
  /** What `fromEnvironment` bindings read. */
  readonly environment?: Readonly<Record<string, string>>
}

export interface Workerd {
  readonly origin: string
  /** Everything written so far: what the Worker logs, and what it threw. */
  readonly output: () => string
  readonly stop: () => Promise<void>
}

interface ListenEvent {
  readonly event: "listen"
  readonly socket: string
  readonly port: number
}

const readyWithin = 60_000

/** Runs a Worker on a free port of this machine; rejects when it does not start, with what workerd says of it. */
export const startWorkerd = async ({ configuration, environment }: WorkerdOptions): Promise<Workerd> => {
  const child = spawn(binary, ["serve", configuration, "--socket-addr=http=127.0.0.1:0", "--control-fd=3"], {
    env: { ...environment },
    stdio: ["ignore", "pipe", "pipe", "pipe"]
  })
  let output = ""
  const collect = (text: string): void => void (output += text)
  child.stdout?.setEncoding("utf8").on("data", collect)
  child.stderr?.setEncoding("utf8").on("data", collect)
  const ended = once(child, "close")
  const stop = async (): Promise<void> => {
    child.kill("SIGKILL")
    await ended
  }
  const port = new Promise<number>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`workerd does not listen in time\n${output}`)), readyWithin)
    createInterface({ input: child.stdio[3] as Readable }).on("line", (line) => {
      const event = JSON.parse(line) as ListenEvent
      if (event.event !== "listen" || event.socket !== "http") return
      clearTimeout(timer)
      resolve(event.port)
    })
    child.once("error", reject)
    child.once("close", (code) => {
      clearTimeout(timer)
      reject(new Error(`workerd ended with ${code} before it listened\n${output}`))
    })
  })
  try {
    return { origin: `http://127.0.0.1:${await port}`, output: () => output, stop }
  } catch (cause) {
    await stop()
    throw cause
  }
}
