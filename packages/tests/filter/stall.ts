/** How long this thread's loop was held up by work of its own. */
import { readFileSync } from "node:fs"

/**
 * Milliseconds that this thread has computed. Where the system does not tell, what has passed, with all that others on the machine
 * did meanwhile.
 */
export const computed = (): number => {
  try {
    return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1e6
  } catch {
    return performance.now()
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Whether `worst` of `all` milliseconds is a stretch that others notice: on a slow machine both grow. */
const isLong = (worst: number, all: number): boolean => worst >= Math.max(25, all / 4)

/**
 * Whether `task` holds up the loop: the longest stretch of work between two turns takes 25 ms, and a quarter of all its work. Nine of ten
 * runs may, as a collection of garbage falls into some, and the first ones compile. Returns the stretches and the work of each run if so.
 */
export const heldUp = async (task: () => Promise<unknown>): Promise<string | undefined> => {
  const runs: string[] = []
  while (runs.length < 10) {
    let worst = 0
    const first = computed()
    let last = first
    let isRunning = true
    const look = (): void => {
      const now = computed()
      worst = Math.max(worst, now - last)
      last = now
      if (isRunning) setImmediate(look)
    }
    setImmediate(look)
    await turn()
    await task()
    await turn()
    await turn()
    isRunning = false
    if (!isLong(worst, last - first)) return undefined
    runs.push(`${worst.toFixed()} of ${(last - first).toFixed()} ms`)
  }
  return runs.join(", ")
}
