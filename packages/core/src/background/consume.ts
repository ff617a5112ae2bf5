/**
 * A consumer reads a stream of committed facts in the order of its positions and does something with each fact, once.
 *
 * It is a background job: its position is kept with its lease. Where the effect lies in the same database, effect and position commit
 * in one transaction, so that a holder that dies in between leaves neither, and the next one begins with the same facts.
 */
import { Effect } from "effect"
import type { Committed } from "../ports/changes.ts"

export interface FactsRead<F> {
  /** In the order of their positions. */
  readonly facts: readonly F[]
  /** Where to read on; the position that was asked for when there was nothing new. */
  readonly position: string | null
}

/** A stream, from after a position on, at most so many facts; `null` is its beginning. A reader skips no fact that commits later. */
export type StreamReader<F, R> = (position: string | null, limit: number) => Effect.Effect<FactsRead<F>, never, R>

/** The batch of a job that consumes a stream. */
export const consume =
  <F, R, R2>(
    read: StreamReader<F, R>,
    apply: (facts: readonly F[]) => Effect.Effect<void, never, R2>,
    limit: number
  ): ((before: string | null) => Effect.Effect<Committed<number>, never, R | R2>) =>
  (before) =>
    Effect.gen(function* () {
      const { facts, position } = yield* read(before, limit)
      if (facts.length > 0) yield* apply(facts)
      return { value: facts.length, ...(position === null ? {} : { position }) }
    })
