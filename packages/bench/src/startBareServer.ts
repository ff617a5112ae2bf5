import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import type { BareBytesOptions } from "./bareBytesServer.ts"
import type { BareServerOptions } from "./bareServer.ts"

export interface BareServer {
  readonly url: URL
  readonly pid: number
  readonly stop: () => Promise<void>
}

interface Programs {
  readonly bareServer: BareServerOptions
  readonly bareBytesServer: BareBytesOptions
}

/** `name`: that of the file. */
export const startBareServer = async <P extends keyof Programs = "bareServer">(
  options: Programs[P],
  name: P = "bareServer" as P
): Promise<BareServer> => {
  const program = fileURLToPath(new URL(`./${name}.js`, import.meta.url))
  const child = spawn(process.execPath, [program, JSON.stringify(options)], { stdio: ["pipe", "pipe", "inherit"] })
  const exited = once(child, "exit")
  const [port] = (await Promise.race([
    once(child.stdout, "data"),
    exited.then(() => Promise.reject(new Error("The bare server ended before it listened")))
  ])) as [Buffer]
  return {
    url: new URL(`http://127.0.0.1:${String(port).trim()}`),
    pid: child.pid ?? 0,
    stop: async () => {
      child.stdin.end()
      await exited
    }
  }
}
