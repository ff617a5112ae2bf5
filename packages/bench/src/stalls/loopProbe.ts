/**
 * Loaded into a server with `--import`: finds the longest turn of its event loop, in processor time of the main thread. Nobody else
 * is served during a turn, and processor time does not count what else runs on the machine.
 *
 * On SIGUSR2 it writes a line `longest turn MILLISECONDS` to standard error and begins anew.
 */
import { readFileSync } from "node:fs"
import { isMainThread } from "node:worker_threads"

const sleeper = new Int32Array(new SharedArrayBuffer(4))

/** Milliseconds. The kernel counts a thread's time when it stops running, so the thread sleeps for a moment first. */
const processorMillis = (): number => {
  Atomics.wait(sleeper, 0, 0, 0.001)
  return Number(readFileSync("/proc/self/schedstat", "utf8").split(" ")[0]) / 1e6
}

if (isMainThread) {
  let longest = 0
  let last = processorMillis()
  const look = () => {
    const now = processorMillis()
    longest = Math.max(longest, now - last)
    last = now
  }
  let isDone = false
  // While one is due the loop does not wait, so every turn is seen.
  const turn = () => {
    look()
    if (!isDone) setImmediate(turn)
  }
  turn()
  process.once("SIGTERM", () => (isDone = true))
  process.on("SIGUSR2", () => {
    look()
    process.stderr.write(`longest turn ${longest.toFixed(1)}\n`)
    longest = 0
  })
}
