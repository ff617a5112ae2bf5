/**
 * Finds destinations for which something waits, and delivers to several at once.
 *
 * One fiber of a process looks; it is woken by what the process records, and looks once a second for what others record. Destinations whose
 * circuit breaker is open have slots of their own, so that however many there are, the others do not wait for them. A turn whose platform has
 * accepted nothing yet and does not answer at once gives its slot back while it waits, so that many platforms that die together do not
 * keep the others waiting until their breakers are open.
 *
 * Rule: observability#delivery.
 */
import { Cause, Effect, Exit, FiberSet } from "effect"
import { DeliveryQueue, type DeliveryTurn } from "./DeliveryQueue.ts"
import { DeliverySignal } from "./DeliverySignal.ts"
import { deliverTurn, leaseSeconds, type TurnWatch } from "./deliverTurn.ts"

const closedSlots = 12
const openSlots = 3
/** Turns that gave their slot back. Each holds a small batch (`firstEvents`). */
const waitingSlots = 100
const answeredAtOnce = "250 millis"
const noticedAtOnce = 5_000

const lookEvery = "1 second"
/** Between two looks, however often it is woken. */
const leastPause = "20 millis"
const afterFailure = "2 seconds"

/** Reads all of the stream that is new; answers where it has got to. */
const noticeAll = Effect.fnUntraced(function* (from: string | null) {
  const queue = yield* DeliveryQueue
  let position = from
  for (;;) {
    const read = yield* queue.notice(position, noticedAtOnce)
    position = read.position
    if (read.noticed < noticedAtOnce) return position
  }
})

/** Delivers what is due, until nothing is; answers how many events were accepted. */
export const dispatchDue = Effect.gen(function* () {
  const queue = yield* DeliveryQueue
  yield* noticeAll(null)
  let delivered = 0
  for (;;) {
    const turns = yield* queue.claim({ closed: closedSlots, open: openSlots }, leaseSeconds)
    if (turns.length === 0) return delivered
    for (const accepted of yield* Effect.forEach(turns, (turn) => deliverTurn(turn), { concurrency: "unbounded" }))
      delivered += accepted
  }
})

/** Dispatches for as long as it is let. */
export const keepDispatching = Effect.gen(function* () {
  const queue = yield* DeliveryQueue
  const signal = yield* DeliverySignal
  const fibers = yield* FiberSet.make<number>()
  const taken = { closed: 0, open: 0, waiting: 0 }
  let position: string | null = null

  const start = (turn: DeliveryTurn) => {
    let slot: keyof typeof taken = turn.is_open ? "open" : "closed"
    let isAccepted = false
    taken[slot]++
    const move = (to: keyof typeof taken): void => {
      taken[slot]--
      taken[to]++
      slot = to
    }
    const giveBack = Effect.sync(() => {
      if (isAccepted || slot !== "closed" || taken.waiting >= waitingSlots) return
      move("waiting")
      signal.wake()
    })
    const watch: TurnWatch = {
      // A child of the turn, so it ends with it.
      asks: Effect.asVoid(Effect.forkChild(Effect.delay(giveBack, answeredAtOnce))),
      accepted: Effect.sync(() => {
        isAccepted = true
        if (slot === "waiting") move("closed")
      })
    }
    const freed = Effect.sync(() => {
      taken[slot]--
      signal.wake()
    })
    return FiberSet.run(fibers, Effect.ensuring(deliverTurn(turn, watch), freed))
  }
  const look = Effect.gen(function* () {
    position = yield* noticeAll(position)
    const wanted = { closed: Math.max(0, closedSlots - taken.closed), open: openSlots - taken.open }
    if (wanted.closed + wanted.open === 0) return
    for (const turn of yield* queue.claim(wanted, leaseSeconds)) yield* start(turn)
  })

  for (;;) {
    const exit = yield* Effect.exit(look)
    if (Exit.isFailure(exit)) {
      if (Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.failCause(exit.cause)
      yield* Effect.logWarning("delivery cannot reach the store", exit.cause)
      yield* Effect.sleep(afterFailure)
    }
    yield* Effect.sleep(leastPause)
    yield* Effect.raceFirst(signal.awaited, Effect.sleep(lookEvery))
  }
}).pipe(Effect.scoped)
