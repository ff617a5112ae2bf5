import { Effect, Exit } from "effect"
import { DecisionCache } from "../enforcement/DecisionCache.ts"
import { ChangeLog } from "./ChangeLog.ts"

/**
 * What follows every work that may have changed what decisions stand on: it counts at once on the process that made the change,
 * whatever became of it, and soon on the others (decisions 2). A refusal is announced to nobody.
 */
export const announceChange = <A, E>(exit: Exit.Exit<A, E>): Effect.Effect<void, never, ChangeLog | DecisionCache> =>
  Effect.flatMap(DecisionCache, (cache) => {
    cache.clear()
    return isRefusal(exit) ? Effect.void : announce
  })

const announce = Effect.flatMap(ChangeLog, (log) => Effect.catchCause(log.announce, () => Effect.void))

/** Where it died nobody knows whether it was committed. */
const isRefusal = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) && exit.cause.reasons.every((reason) => reason._tag === "Fail")
