import { GatewardenRefusal } from "@gatewarden/core"

/** It would be refused again. */
const isFinal = (cause: unknown): boolean => cause instanceof GatewardenRefusal && cause.status < 500

/**
 * Does again what failed, which must be safe to repeat, after each of the pauses until it succeeds.
 *
 * Rejects with the last cause: a refusal, or what it was when no pause was left.
 */
export const retried = async <Result>(
  task: () => Promise<Result>,
  cause: unknown,
  pauses: readonly number[],
  pause: (millis: number) => Promise<void>
): Promise<Result> => {
  let last = cause
  for (const millis of pauses) {
    if (isFinal(last)) break
    await pause(millis)
    try {
      return await task()
    } catch (next) {
      last = next
    }
  }
  throw last
}
