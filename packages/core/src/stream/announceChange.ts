import { Effect, Exit } from "effect"
import { DecisionCache } from "../decision/DecisionCache.ts"
import { ChangeLog } from "./ChangeLog.ts"

/**
 * Follows work that may have changed what the decisions of one account stand on: the change counts at once on this process, and soon
 * on the others (Rule: access#changes-take-effect). A refusal has changed nothing, so it forgets nothing and is announced to
 * nobody; nor does anything that other accounts' decisions stand on.
 *
 * `account_id`: undefined where the work itself forgets what it changes.
 */
export const announceChange =
  (account_id: string | undefined) =>
  <A, E>(exit: Exit.Exit<A, E>): Effect.Effect<void, never, ChangeLog | DecisionCache> => {
    if (isRefusal(exit)) return Effect.void
    if (account_id === undefined) return announce
    return Effect.flatMap(DecisionCache, (cache) => {
      cache.forgetAccount(account_id)
      return announce
    })
  }

const announce = Effect.flatMap(ChangeLog, (log) => Effect.catchCause(log.announce, () => Effect.void))

/** Where it died nobody knows whether it was committed. */
const isRefusal = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) && exit.cause.reasons.every((reason) => reason._tag === "Fail")
