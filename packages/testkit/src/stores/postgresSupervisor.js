// @ts-check
/**
 * Outlives whoever started it by just long enough to leave nothing behind. Runs `postgres` when told to on its
 * standard input, and when that input ends, which it does however the parent dies, stops the server and removes the
 * directory. Plain JavaScript, because Node 20 does not run TypeScript.
 *
 * Says on its standard output `started <pid>` and `exited <code or signal>`.
 */
import { spawn } from "node:child_process"
import { openSync, rmSync } from "node:fs"
import { createInterface } from "node:readline"

const stopTimeoutMillis = 5000

/** @type {{ directory: string, command: string, args: string[], log: string, runAs: { uid: number, gid: number } | undefined }} */
const { directory, command, args, log, runAs } = JSON.parse(process.argv[2] ?? "")

// Ctrl-C reaches every process of a terminal; the parent decides when this one ends.
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) process.on(signal, () => {})

/** @type {import("node:child_process").ChildProcess | undefined} */
let server

const start = () => {
  const output = openSync(log, "a")
  const child = spawn(command, args, { ...runAs, cwd: directory, stdio: ["ignore", output, output] })
  server = child
  child.once("error", (cause) => console.log(`exited ${cause.message}`))
  child.once("exit", (code, signal) => {
    server = undefined
    console.log(`exited ${signal ?? code}`)
  })
  child.once("spawn", () => console.log(`started ${child.pid}`))
}

const finish = () => {
  rmSync(directory, { recursive: true, force: true })
  process.exit(0)
}

// The parent may be gone, and nobody reads.
process.stdout.on("error", () => {})

createInterface({ input: process.stdin })
  .on("line", (line) => {
    if (line === "start") start()
  })
  .on("close", () => {
    const child = server
    if (child === undefined) return finish()
    child.removeAllListeners("exit").once("exit", finish)
    // Immediate shutdown: the data goes with the directory.
    child.kill("SIGQUIT")
    setTimeout(() => child.kill("SIGKILL"), stopTimeoutMillis)
  })
