/**
 * Batches requests of one kind: the first is sent at once, and those that arrive while it is in flight form the next batch. No request
 * waits for a batch to fill, and a batch takes a contended lock once.
 */
import { Cause, Deferred, Effect, Exit } from "effect"

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
