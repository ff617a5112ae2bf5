import { execFile } from "node:child_process"
import { promisify } from "node:util"
import type { Reading } from "../Measure.ts"

const run = promisify(execFile)

/** Of the server that answered the races, right after them. */
export const residentMemory: Reading = {
  kind: "reading",
  name: "Resident memory of the server after the load",
  unit: "MB",
  atMost: 300,
  gated: false,
  read: async ({ pid }) => {
    const { stdout } = await run("ps", ["-o", "rss=", "-p", String(pid)])
    return { value: (Number(stdout.trim()) * 1024) / 1e6 }
  }
}
