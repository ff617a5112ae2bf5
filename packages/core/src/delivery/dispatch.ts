/**
 * Finds destinations for which something waits, and delivers to several at once.
 *
 * One fiber of a process looks; it is woken by what the process records, and looks once a second for what others record. Destinations whose
 * circuit breaker is open have slots of their own, so that however many there are, the others do not wait for them. A turn whose platform does
 * not answer at once gives its slot back while it waits, so that many platforms that are slow, or die together, do not keep the others waiting.
 * Of each kind of slot an account gets a share (`Slots`), so that however many destinations it has, other accounts do not wait for them.
 *
 * Rule: observability#retries.
 */
import { Cause, Clock, Context, Effect, Exit, FiberSet, Latch, Layer } from "effect"
import { Slots } from "../limits/Slots.ts"
import {
  type DeliveryBacklog,
  DeliveryQueue,
  type DeliveryLease,
  type WaitingDestinations
} from "../ports/deliveries.ts"
import { type TurnWatch, deliverTurn, leaseSeconds } from "./deliverTurn.ts"

/**
 * Tells the dispatcher of this process that something was recorded for a destination, so that it need not wait for its next look.
 *
 * A hint: processes that record do not wait for it, and the dispatcher of every process looks once a second without it.
 */
export class DeliverySignal extends Context.Service<
  DeliverySignal,
  {
    readonly wake: () => void
    /** Ends when it was woken since the last time. */
    readonly awaited: Effect.Effect<void>
  }
>()("gatewarden/DeliverySignal") {}

/** One per instance of the product: two instances share nothing. */
export const layerDeliverySignal = Layer.sync(DeliverySignal, () => {
  const latch = Latch.makeUnsafe()
  return DeliverySignal.of({
    wake: () => void latch.openUnsafe(),
    awaited: Effect.andThen(
      latch.await,
      Effect.sync(() => void latch.closeUnsafe())
    )
  })
})

/** One account alone gets two thirds: 12 and 3. */
const closedSlots = 18
const openSlots = 5
/** Turns that gave their slot back, while they hold a small batch (`firstEvents`): 100 of one account. */
const waitingSlots = 150
/** A turn with a large batch holds about as much as so many with small ones. */
const slotsOfLarge = 10
/** While nobody knows whether the platform answers, and while it answers. */
const firstAnsweredAtOnce = "250 millis"
const answeredAtOnceMillis = 1_000
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

const newSlots = () => ({
  closed: new Slots(closedSlots),
  open: new Slots(openSlots),
  waiting: new Slots(waitingSlots)
})

/** Claims what is due, as far as there are slots, until nothing is. `start` takes them. */
const claimDue = Effect.fnUntraced(function* <R>(
  { closed, open }: ReturnType<typeof newSlots>,
  start: (turn: DeliveryLease) => Effect.Effect<unknown, never, R>
) {
  const queue = yield* DeliveryQueue
  while (closed.taken < closed.size || open.taken < open.size) {
    const turns = yield* queue.claim({ closed: closed.wanted, open: open.wanted }, leaseSeconds)
    if (turns.length === 0) return
    for (const turn of turns) yield* start(turn)
  }
})

/** Delivers what is due, until nothing is; answers how many events were accepted. */
export const dispatchDue = Effect.gen(function* () {
  yield* noticeAll(null)
  let delivered = 0
  for (;;) {
    const slots = newSlots()
    const turns: DeliveryLease[] = []
    yield* claimDue(slots, (turn) =>
      Effect.sync(() => {
        slots[turn.is_open ? "open" : "closed"].take(turn.account_id)
        turns.push(turn)
      })
    )
    if (turns.length === 0) return delivered
    for (const accepted of yield* Effect.forEach(turns, (turn) => deliverTurn(turn), { concurrency: "unbounded" }))
      delivered += accepted
  }
})

/** Dispatches for as long as it is let. */
export const keepDispatching = Effect.gen(function* () {
  const signal = yield* DeliverySignal
  const fibers = yield* FiberSet.make<number>()
  const slots = newSlots()
  /** Of turns that work: gives the slot back if the platform was asked before an instant and has not answered. */
  const waits = new Set<(before: number) => void>()
  let position: string | null = null

  const start = (turn: DeliveryLease) => {
    const { account_id } = turn
    let kind: keyof typeof slots = turn.is_open ? "open" : "closed"
    let taken = 1
    let asked: { readonly at: number; readonly isLarge: boolean } | undefined
    slots[kind].take(account_id)
    const move = (to: keyof typeof slots, count: number): void => {
      slots[kind].giveBack(account_id, taken)
      kind = to
      taken = count
      slots[kind].take(account_id, taken)
    }
    const wait = (): void => {
      const count = asked?.isLarge === true ? slotsOfLarge : 1
      if (kind !== "closed" || !slots.waiting.allows(account_id, count)) return
      move("waiting", count)
      signal.wake()
    }
    const waitIfSlow = (before: number): void => {
      if (asked !== undefined && asked.at <= before) wait()
    }
    waits.add(waitIfSlow)
    /** Slow platforms get no more than the share of one account of the slots of the others. */
    const mayReturn = () => slots.closed.taken < (closedSlots * 2) / 3 && slots.closed.allows(account_id)
    const watch: TurnWatch = {
      asks: Effect.fnUntraced(function* (isLarge) {
        const now = { at: yield* Clock.currentTimeMillis, isLarge }
        asked = now
        if (isLarge || kind !== "closed") return
        const waitForIt = Effect.sync(() => {
          if (asked === now) wait()
        })
        // A child of the turn, so it ends with it.
        yield* Effect.forkChild(Effect.delay(waitForIt, firstAnsweredAtOnce))
      }),
      answered: (isAccepting) =>
        Effect.sync(() => {
          asked = undefined
          if (kind !== "waiting") return isAccepting
          if (isAccepting && mayReturn()) {
            move("closed", 1)
            return true
          }
          move("waiting", 1)
          if (!isAccepting || !slots.waiting.allows(account_id, slotsOfLarge)) return false
          move("waiting", slotsOfLarge)
          return true
        })
    }
    const freed = Effect.sync(() => {
      waits.delete(waitIfSlow)
      slots[kind].giveBack(account_id, taken)
      signal.wake()
    })
    return FiberSet.run(fibers, Effect.ensuring(deliverTurn(turn, watch), freed))
  }
  const look = Effect.gen(function* () {
    position = yield* noticeAll(position)
    const before = (yield* Clock.currentTimeMillis) - answeredAtOnceMillis
    for (const waitIfSlow of waits) waitIfSlow(before)
    yield* claimDue(slots, start)
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

/** How deliveries are doing, for those who watch an installation. */
export interface DeliveryHealth {
  /** Events that wait for a destination; 100,000 stands for as many and more. */
  readonly waiting_events: number
  /** Seconds since the first of them was recorded; `null` where none waits. */
  readonly oldest_seconds: number | null
  /** Destinations for which something waits, or whose platform refuses everything, by type. */
  readonly destinations: readonly WaitingDestinations[]
}

export const deliveryHealth = ({ waiting, oldest_at, destinations, now }: DeliveryBacklog): DeliveryHealth => ({
  waiting_events: waiting,
  oldest_seconds: oldest_at === null ? null : Math.max(0, (now - oldest_at) / 1_000),
  destinations
})

/** What waits for longer than this, for destinations that accept, is delivered by nobody. */
const mostWaitingSeconds = 600

/** What is wrong, in a few words; `undefined` when all is well. */
export const deliveryProblem = ({ oldest_seconds, destinations }: DeliveryHealth): string | undefined => {
  const open = destinations.filter((one) => one.open > 0)
  if (open.length > 0)
    return `destinations do not accept what is delivered: ${open.map((one) => `${one.open} of type ${one.type}`).join(", ")}`
  const refusing = destinations.filter((one) => one.refusing > 0)
  if (refusing.length > 0)
    return `platforms refuse everything that is delivered: ${refusing.map((one) => `${one.refusing} of type ${one.type}`).join(", ")}`
  const isFailing = destinations.some(({ failing }) => failing > 0)
  return (oldest_seconds ?? 0) > mostWaitingSeconds && !isFailing
    ? `events have waited for their destinations for ${Math.round((oldest_seconds ?? 0) / 60)} minutes`
    : undefined
}
