/**
 * Batches requests of one kind: the first is sent at once, and those that arrive while it is in flight form the next batch. No request
 * waits for a batch to fill, and a batch takes a contended lock once.
 */
import { Cause, Deferred, Effect, Exit } from "effect"
import type { SqlError } from "effect/sql"
import { isRefused, whetherEnclosed } from "./statements.ts"

interface Waiting<Q, A, E> {
  readonly request: Q
  readonly answer: Deferred.Deferred<A, E>
}

/** The most requests in one batch. */
const most = 64

/**
 * `perform` answers requests of one kind, in their order. If it fails with an error that one request may have caused, and has changed
 * nothing, each request is performed alone. An interrupted caller is released once the outcome of its request is known.
 */
export const coalesce = <Q, A, E, R>(
  perform: (requests: readonly Q[]) => Effect.Effect<readonly A[], E, R>,
  isFaultOfOne: (error: E) => boolean
) => {
  const isOneFault = (reason: Cause.Reason<E>) => Cause.isFailReason(reason) && isFaultOfOne(reason.error)
  /** By kind; one is there while something of its kind is on its way. */
  const queues = new Map<string, Waiting<Q, A, E>[]>()

  const answer = (batch: readonly Waiting<Q, A, E>[]): Effect.Effect<void, never, R> =>
    Effect.flatMap(Effect.exit(perform(batch.map(({ request }) => request))), (exit) => {
      if (batch.length > 1 && Exit.isFailure(exit) && exit.cause.reasons.some(isOneFault))
        return Effect.forEach(batch, (one) => answer([one]), { discard: true })
      for (const [index, waiting] of batch.entries())
        Deferred.doneUnsafe(
          waiting.answer,
          Exit.map(exit, (answers) => answers[index] as A)
        )
      return Effect.void
    })

  const proceed = (kind: string): Effect.Effect<void, never, R> =>
    Effect.suspend(() => {
      const queue = queues.get(kind)
      if (queue === undefined || queue.length === 0) {
        queues.delete(kind)
        return Effect.void
      }
      return Effect.flatMap(answer(queue.splice(0, most)), () => proceed(kind))
    })

  /** Whoever came first does not wait for those that came after. */
  const handOver = (kind: string) =>
    Effect.suspend((): Effect.Effect<void, never, R> => {
      if (queues.get(kind)?.length !== 0) return Effect.asVoid(Effect.forkDetach(proceed(kind)))
      queues.delete(kind)
      return Effect.void
    })

  return (kind: string, request: Q): Effect.Effect<A, E, R> =>
    Effect.suspend((): Effect.Effect<A, E, R> => {
      const queue = queues.get(kind)
      if (queue === undefined) {
        queues.set(kind, [])
        return Effect.uninterruptible(perform([request])).pipe(
          Effect.map(([answer]) => answer as A),
          Effect.onExit(() => handOver(kind))
        )
      }
      const waiting: Waiting<Q, A, E> = { request, answer: Deferred.makeUnsafe() }
      queue.push(waiting)
      return Effect.onInterrupt(Deferred.await(waiting.answer), () => {
        const place = queue.indexOf(waiting)
        if (place === -1) return Effect.ignoreCause(Deferred.await(waiting.answer))
        queue.splice(place, 1)
        return Effect.void
      })
    })
}

interface Performed<Q, A, E, R> {
  /** Answers requests of one group, in their order. Fails as `isImpatient` says, having kept nothing, where it would have to wait. */
  readonly many: (requests: readonly Q[]) => Effect.Effect<readonly A[], E, R>
  /** Answers requests of one part of a group, and waits as long as it takes. */
  readonly few: (requests: readonly Q[]) => Effect.Effect<readonly A[], E, R>
  readonly isImpatient: (error: E) => boolean
  /** As `coalesce` has it. */
  readonly isFaultOfOne: (error: E) => boolean
}

/**
 * Batches the requests of a whole group. If a batch has to wait for a lock, each part of the group gets a batch of its own, so that the
 * lock delays only the requests of the part that needs it.
 *
 * Answers one request, given its group and its part of it.
 */
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

/**
 * How requests are performed. `together`: a batch of a whole group, which gives up with a timeout, and has changed nothing, if it has to
 * wait for a lock. `apart`: a batch of one part of a group, which waits without a timeout. `enclosed`: one request, in the host's transaction.
 */
export type Turn = "together" | "apart" | "enclosed"

/** Answers requests of one group, in their order. If it fails, nothing was changed. */
type Perform<Q, A, R> = (requests: readonly Q[], turn: Turn) => Effect.Effect<readonly A[], SqlError.SqlError, R>

const alone =
  <Q, A, R>(perform: Perform<Q, A, R>) =>
  (request: Q) =>
    Effect.map(perform([request], "enclosed"), ([answer]) => answer as A)

/** A batch gave up waiting for a lock, and changed nothing. */
const isImpatient = (error: SqlError.SqlError): boolean => error.reason._tag === "LockTimeoutError"

/**
 * Performs requests of one kind in batches, so that a batch takes a contended lock once. A request within a host's transaction is
 * performed alone: it commits or rolls back with that transaction, which must not decide about the requests of others.
 *
 * Batches the requests of a group. A batch waits for locks without a timeout.
 */
export const batched = <Q, A, R>(perform: Perform<Q, A, R>) => {
  const together = coalesce((requests: readonly Q[]) => perform(requests, "apart"), isRefused)
  const single = alone(perform)
  return (group: string, request: Q): Effect.Effect<A, SqlError.SqlError, R> =>
    whetherEnclosed(() => single(request), together(group, request))
}

/** Batches the requests of a group. The requests of a part that waits for a lock get batches of their own. */
export const batchedApart = <Q, A, R>(perform: Perform<Q, A, R>) => {
  const together = coalesceApart({
    many: (requests: readonly Q[]) => perform(requests, "together"),
    few: (requests: readonly Q[]) => perform(requests, "apart"),
    isImpatient,
    isFaultOfOne: isRefused
  })
  const single = alone(perform)
  return (group: string, part: string, request: Q): Effect.Effect<A, SqlError.SqlError, R> =>
    whetherEnclosed(() => single(request), together(group, part, request))
}
