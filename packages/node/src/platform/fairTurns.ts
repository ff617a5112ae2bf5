/**
 * Turns of long work on one loop: together it takes one slice in each turn of the loop, and the accounts that wait take turns. However much
 * one account asks for, the loop answers everybody else, and their long work waits for one slice of it.
 */
import { type LoopTurnsFunctions, makeFairQueue } from "@gatewarden/core/internal"
import { Effect } from "effect"

export const makeFairTurns = (): LoopTurnsFunctions => {
  const waiting = makeFairQueue<() => void>()
  let isScheduled = false
  const schedule = (): void => {
    if (isScheduled) return
    isScheduled = true
    setTimeout(() => {
      isScheduled = false
      waiting.take()?.()
      if (waiting.size() > 0) schedule()
    }, 0)
  }
  return {
    next: (account_id) =>
      Effect.callback<void>((resume) => {
        const leave = waiting.add(account_id, () => resume(Effect.void))
        schedule()
        return Effect.sync(leave)
      }),
    isAwaited: () => waiting.size() > 0
  }
}
