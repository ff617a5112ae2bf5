import { setTimeout as pause } from "node:timers/promises"

const pollMillis = 20

/** Asks again and again until the answer is one, and fails when there has been none for too long. */
export const eventually = async <T>(
  what: string,
  ask: () => Promise<T | undefined>,
  withinMillis = 60_000
): Promise<T> => {
  const deadline = Date.now() + withinMillis
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    if (Date.now() > deadline) throw new Error(`${what}: not within ${withinMillis} ms`)
    await pause(pollMillis)
  }
}
