/**
 * Whether what an instance remembers still counts: only while the log of changes was read within the last second, and what it told
 * was forgotten. A second and the time of one request are less than the two that are allowed (Rule: access#changes-take-effect).
 *
 * The log is read when a request needs it and no more than once a second, however many requests there are; an instance that has
 * nothing to do reads nothing. When it cannot be read, nothing that is remembered counts, and requests look for themselves.
 *
 * What another process announces is read at once, as a hint: how long the last read counts is not changed by it, so an instance that
 * has nothing to do any more stops reading, whatever others do.
 */
import { Clock, Context, Effect, Fiber, FiberSet, Layer } from "effect"
import { type Change, type Changes, ChangeLog } from "../ports/changeLog.ts"

const trustedMillis = 1_000
/** A read that takes longer is given up: the requests that wait for it look for themselves. */
const patience = "1 second"

export interface FreshnessState {
  readonly isCurrent: (now: number) => boolean
  /** Reads the log, unless that was done within the last second or is under way. False: it could not be read. */
  readonly renew: Effect.Effect<boolean, never, ChangeLog>
  /** Registers what forgets that which changed. */
  readonly onChange: (forget: (changes: Changes) => void) => void
  /** Forgets what a write of this process changed, once it is committed. */
  readonly tell: (changes: Changes) => void
}

type Log = typeof ChangeLog.Service

/** Runs work of the instance, for as long as that lives. */
type Background = <A>(work: Effect.Effect<A>) => Fiber.Fiber<A>

export const makeFreshness = (inBackground: Background): FreshnessState => {
  const forgetters: ((changes: Changes) => void)[] = []
  let position: string | undefined
  let begun = 0
  let positionOf = 0
  let readAt = Number.NEGATIVE_INFINITY
  let flight: Fiber.Fiber<boolean> | undefined
  let isHearing = false

  const tell = (changes: Changes): void => {
    for (const forget of forgetters) forget(changes)
  }

  /** A clock that was set back makes it stale too. */
  const isCurrent = (now: number): boolean => now >= readAt && now - readAt < trustedMillis

  /** Of two at a time the one that began later says where to read on: the other would have told again what is forgotten already. */
  const read = (log: Log): Effect.Effect<boolean> =>
    Effect.suspend(() => {
      const mine = ++begun
      const readOn = (from: string | undefined): void => {
        if (mine < positionOf) return
        position = from
        positionOf = mine
      }
      return Effect.map(log.since(position), (answer) => {
        if (answer.changes.length > 0) tell(answer.changes)
        readOn(answer.position)
        return true
      }).pipe(
        Effect.timeoutOrElse({
          duration: patience,
          // The next read would take as long: it begins anew, which forgets everything.
          orElse: () => Effect.sync(() => (readOn(undefined), false))
        })
      )
    }).pipe(
      // The request that looks for itself tells what is wrong with the store.
      Effect.catchCause(() => Effect.succeed(false))
    )

  /**
   * On a fiber without the context of the request that came first, as others wait for it too: the request may be broken off, and its
   * transaction sees no change of others and may be undone.
   */
  const fly = (log: Log, clock: Clock.Clock, now: number): Fiber.Fiber<boolean> => {
    const reading = Effect.map(read(log), (isRead) => {
      if (isRead) readAt = now
      return isRead
    })
    const started = (flight = inBackground(reading))
    started.addObserver((exit) => {
      flight = undefined
      if (exit._tag !== "Success" || !exit.value) return
      hear(log, clock)
    })
    return started
  }

  /** From the first read on: before it nothing is remembered. A store that dies of it is heard no more, and read all the same. */
  const hear = (log: Log, clock: Clock.Clock): void => {
    if (isHearing) return
    isHearing = true
    // A read that is under way may have looked too early.
    const isWanted = () => isCurrent(clock.currentTimeMillisUnsafe()) || flight !== undefined
    const readAgain = Effect.suspend(() => (isWanted() ? read(log) : Effect.void))
    inBackground(Effect.catchCause(log.hear(Effect.asVoid(readAgain)), () => Effect.void))
  }

  return {
    isCurrent,
    renew: Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const now = clock.currentTimeMillisUnsafe()
      if (isCurrent(now)) return true
      const log = yield* ChangeLog
      return yield* Fiber.join(flight ?? fly(log, clock, now))
    }),
    onChange: (forget) => void forgetters.push(forget),
    tell
  }
}

/** Changes of a transaction that is still open: nothing is forgotten before it commits. Undefined outside of one. */
export const Uncommitted = Context.Reference<Change[] | undefined>("gatewarden/Uncommitted", {
  defaultValue: () => undefined
})

/** Work waits for its turn, but not in a transaction: that has a connection which others may wait for. */
export const outsideTransactions =
  (inTurn: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Uncommitted, (changes) => (changes === undefined ? inTurn(work) : work))

/** One per instance of the product, never per process: two instances share nothing. */
export class Freshness extends Context.Service<Freshness, FreshnessState>()("gatewarden/Freshness") {}

/** A fresh one each time it is built, which reads and hears of announcements until its scope closes. */
export const layerFreshness = () => Layer.effect(Freshness, Effect.map(FiberSet.makeRuntime(), makeFreshness))
