/**
 * How many answers of the catalog a process makes at once. Making one reads every model that the account sees, which takes a multiple of the
 * answer's bytes, and those are counted only once they are made.
 *
 * Rule: requests#answers-in-flight. Accounts take turns, so one that asks for many different lists delays another by a few of them.
 */
import { Effect, PartitionedSemaphore } from "effect"
import { Unavailable } from "../failure.ts"

/** Making is work of the processor, so more at once would not be faster. */
const madeAtOnce = 2

/** Answers of one account that wait to be made, or are made. */
export const waitingOfAccount = 256

const retryAfterSeconds = 5

export interface CatalogSlotTable {
  /** Makes an answer when it is the account's turn. 503 if too many of its answers wait. */
  readonly within: (
    account_id: string
  ) => <A, E, R>(make: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Unavailable, R>
}

export const makeCatalogSlots = (): CatalogSlotTable => {
  const slots = PartitionedSemaphore.makeUnsafe<string>({ permits: madeAtOnce })
  const waiting = new Map<string, number>()
  const enter = (account_id: string) =>
    Effect.suspend(() => {
      const ofAccount = waiting.get(account_id) ?? 0
      if (ofAccount >= waitingOfAccount)
        return Effect.fail(new Unavailable({ reason: "answers_in_flight", issues: [tooMany], retryAfterSeconds }))
      waiting.set(account_id, ofAccount + 1)
      return Effect.void
    })
  const leave = (account_id: string): void => {
    const ofAccount = (waiting.get(account_id) ?? 1) - 1
    if (ofAccount === 0) waiting.delete(account_id)
    else waiting.set(account_id, ofAccount)
  }
  return {
    within: (account_id) => (make) =>
      Effect.acquireUseRelease(
        enter(account_id),
        () => slots.withPermit(account_id)(make),
        () => Effect.sync(() => leave(account_id))
      )
  }
}

const tooMany = {
  path: "",
  code: "too_many_answers",
  message: `Expected at most ${waitingOfAccount} answers of the catalog in the making for one account`
}
