/** A program as a process of its own, which says where it listens and ends with whoever started it. */
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"

export interface Program {
  readonly url: URL
  readonly pid: number
  readonly stop: () => Promise<void>
}

export interface ProgramOptions {
  readonly path: string
  readonly args?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** Finds the address in a line of its standard output. */
  readonly listens: RegExp
}

export const startProgram = async ({
  path,
  args = [],
  environment = {},
  listens
}: ProgramOptions): Promise<Program> => {
  const { PATH = "", HOME = "" } = process.env
  const child = spawn(process.execPath, [path, ...args], {
    env: { PATH, HOME, ...environment },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  const kill = () => void child.kill("SIGKILL")
  process.once("exit", kill)
  const url = await new Promise<URL>((resolve, reject) => {
    void exited.then(() => reject(new Error(`${path} ended before it listened`)))
    createInterface({ input: child.stdout }).on("line", (line) => {
      const [, address] = listens.exec(line) ?? []
      if (address !== undefined) resolve(new URL(address))
    })
  })
  return {
    url,
    pid: child.pid ?? 0,
    stop: async () => {
      process.off("exit", kill)
      child.kill("SIGTERM")
      await exited
    }
  }
}
