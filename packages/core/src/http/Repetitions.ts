/**
 * Concurrent repetitions of one request in this process: one of them asks the store, the others wait for its result.
 *
 * Rule: requests#idempotency-keys. Without it each of a hundred impatient clients would ask the
 * database forty times a second.
 */
import { Deferred, Effect } from "effect"
import type { IdempotencyAnswer } from "../ports/idempotency.ts"

/** How many may wait for one. */
const maxWaiting = 100

type Outcome = IdempotencyAnswer | undefined

interface UnderWay {
  readonly outcome: Deferred.Deferred<Outcome>
  waiting: number
}

export type Turn =
  /** This is the first request. Call the function with its answer, or with none. */
  | { readonly kind: "first"; readonly leave: (outcome: Outcome) => Effect.Effect<void> }
  /** The answer of the first request; undefined if it had none. */
  | { readonly kind: "waiting"; readonly outcome: Effect.Effect<Outcome> }
  | { readonly kind: "too_many" }

export class Repetitions {
  readonly #underWay = new Map<string, UnderWay>()

  enter(what: string): Turn {
    const known = this.#underWay.get(what)
    if (known === undefined) {
      const outcome = Deferred.makeUnsafe<Outcome>()
      this.#underWay.set(what, { outcome, waiting: 0 })
      const leave = (came: Outcome) =>
        Effect.suspend(() => {
          this.#underWay.delete(what)
          return Deferred.succeed(outcome, came)
        })
      return { kind: "first", leave: (came) => Effect.asVoid(leave(came)) }
    }
    if (known.waiting === maxWaiting) return { kind: "too_many" }
    known.waiting++
    return {
      kind: "waiting",
      outcome: Effect.ensuring(
        // A waiting request has begun nothing, so it may be interrupted.
        Effect.interruptible(Deferred.await(known.outcome)),
        Effect.sync(() => known.waiting--)
      )
    }
  }
}
