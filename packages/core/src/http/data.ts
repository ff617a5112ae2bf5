import { Effect } from "effect"

/** Wraps a single object as every single-object answer is (Rule: requests#single-objects). */
export const data = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<{ readonly data: A }, E, R> =>
  Effect.map(effect, (value) => ({ data: value }))
