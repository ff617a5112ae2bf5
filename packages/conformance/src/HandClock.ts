/** A clock that stands still until it is turned. Sleeping is real, unless a test skips a sleep: only waiting for another request sleeps. */
import { LedgerClock } from "@gatewarden/core/store"
import { Clock, Duration, Effect } from "effect"

export interface HandClock {
  /** Milliseconds since 1970. */
  now: number
}

/** By clock, the milliseconds of the sleep that is skipped. */
const skipped = new WeakMap<HandClock, number>()

/** Ends the next sleep of exactly so many milliseconds as it begins, for a test of what happens after it. */
export const skipSleep = (hand: HandClock, millis: number): void => void skipped.set(hand, millis)

const clockOf = (hand: HandClock): Clock.Clock => {
  const real = Clock.Clock.defaultValue()
  return {
    currentTimeMillisUnsafe: () => hand.now,
    currentTimeMillis: Effect.sync(() => hand.now),
    currentTimeNanosUnsafe: () => BigInt(hand.now) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => BigInt(hand.now) * 1_000_000n),
    // How long something takes is measured by a clock that nobody turns.
    monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
    sleep: (duration) =>
      Effect.suspend(() => {
        if (skipped.get(hand) !== Duration.toMillis(duration)) return real.sleep(duration)
        skipped.delete(hand)
        return Effect.yieldNow
      })
  } as Clock.Clock
}

/** Within `byHand`: the database's clock judges, whatever the hand clock of the process says. For stores that have a database. */
export const byDatabase = Effect.provideService(LedgerClock, "database")

/** Makes an effect live by the clock, and with it the ledgers, which else ask the database for the time. */
export const byHand =
  (hand: HandClock) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    effect.pipe(Effect.provideService(Clock.Clock, clockOf(hand)), Effect.provideService(LedgerClock, "service"))
