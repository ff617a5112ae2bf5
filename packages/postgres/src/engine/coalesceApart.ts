/**
 * Batches the requests of a whole group. If a batch has to wait for a lock, each part of the group gets a batch of its own, so that the
 * lock delays only the requests of the part that needs it.
 */
import { Cause, Effect, Exit } from "effect"
import { coalesce } from "./coalesce.ts"

interface Performed<Q, A, E, R> {
  /** Answers requests of one group, in their order. Fails as `isImpatient` says, having kept nothing, where it would have to wait. */
  readonly many: (requests: readonly Q[]) => Effect.Effect<readonly A[], E, R>
  /** Answers requests of one part of a group, and waits as long as it takes. */
  readonly few: (requests: readonly Q[]) => Effect.Effect<readonly A[], E, R>
  readonly isImpatient: (error: E) => boolean
  /** As `coalesce` has it. */
  readonly isFaultOfOne: (error: E) => boolean
}

/** Answers one request, given its group and its part of it. */
export const coalesceApart = <Q, A, E, R>({ many, few, isImpatient, isFaultOfOne }: Performed<Q, A, E, R>) => {
  const isHeldUp = (reason: Cause.Reason<E>) => Cause.isFailReason(reason) && isImpatient(reason.error)
  /** What came to nothing because of a wait is an answer here: each of those that asked together then asks again by itself. */
  const hopeful = coalesce(
    (requests: readonly Q[]) =>
      Effect.flatMap(Effect.exit(many(requests)), (exit): Effect.Effect<readonly (A | "held up")[], E> =>
        Exit.isFailure(exit) && exit.cause.reasons.some(isHeldUp)
          ? Effect.succeed(requests.map(() => "held up" as const))
          : exit
      ),
    isFaultOfOne
  )
  const patient = coalesce(few, isFaultOfOne)
  /** How many wait by part: as long as there are any, others of the part join them. */
  const apart = new Map<string, number>()

  const wait = (group: string, part: string, request: Q): Effect.Effect<A, E, R> => {
    const kind = `${group} ${part}`
    return Effect.suspend(() => {
      apart.set(kind, (apart.get(kind) ?? 0) + 1)
      return Effect.ensuring(
        patient(kind, request),
        Effect.sync(() => {
          const left = (apart.get(kind) ?? 1) - 1
          if (left === 0) apart.delete(kind)
          else apart.set(kind, left)
        })
      )
    })
  }

  return (group: string, part: string, request: Q): Effect.Effect<A, E, R> =>
    Effect.suspend((): Effect.Effect<A, E, R> => {
      if (apart.has(`${group} ${part}`)) return wait(group, part, request)
      return Effect.flatMap(hopeful(group, request), (answer): Effect.Effect<A, E, R> =>
        answer === "held up" ? wait(group, part, request) : Effect.succeed(answer as A)
      )
    })
}
