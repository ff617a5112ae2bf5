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

/** The longest stretch of work between two turns of the loop while `task` ran: the least of ten runs, as a collection of garbage may fall into one, and the first ones compile. */
export const worstStall = async (task: () => Promise<unknown>): Promise<number> => {
  let least = Infinity
  for (let run = 0; run < 10 && least > 20; run++) {
    let worst = 0
    let last = computed()
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
    least = Math.min(least, worst)
  }
  return least
}
