/** The detector as a process of its own, so that it can be killed. */
import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

export interface Analyzer {
  readonly url: string
  readonly kill: () => Promise<void>
}

export const startAnalyzer = async (): Promise<Analyzer> => {
  const program = fileURLToPath(new URL("./analyzerProcess.js", import.meta.url))
  const child = fork(program, { stdio: ["ignore", "ignore", "inherit", "ipc"], execArgv: [] })
  const [url]: readonly unknown[] = await once(child, "message")
  return {
    url: String(url),
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, "exit")
      child.kill("SIGKILL")
      await gone
    }
  }
}
