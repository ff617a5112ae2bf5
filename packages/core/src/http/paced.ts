/**
 * Gives up a body that arrives too slowly, so that a slow client cannot hold resources.
 *
 * Counts only time spent waiting for the client, not the server's own processing time.
 */
import { Clock, Effect, Stream } from "effect"
import { TimedOut } from "../value/failure.ts"
import type { BodyLimits } from "./BodyLimits.ts"

export type Pace = Pick<BodyLimits, "firstByteMillis" | "graceMillis" | "minBytesPerSecond">

export const tooSlow = () => new TimedOut({ reason: "request_timeout" })

/** The maximum waiting time for `received` bytes, in milliseconds. */
export const patienceMillis = (
  { graceMillis, minBytesPerSecond }: Pick<Pace, "graceMillis" | "minBytesPerSecond">,
  received: number
): number => graceMillis + (received / minBytesPerSecond) * 1000

/** The same for the first byte of a body. */
export const firstByteMillis = ({ firstByteMillis, graceMillis }: Pace): number =>
  Math.min(firstByteMillis, graceMillis)

/**
 * Fails with 408 if the waiting time exceeds the limit for the bytes that have arrived.
 *
 * @param isNew whether a chunk begins something that has all of the time for itself, as a line has
 */
export const paced =
  (pace: Pace, isNew: (chunk: Uint8Array) => boolean = () => false) =>
  <E, R>(body: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Uint8Array, E | TimedOut, R> =>
    Stream.transformPull(body, (pull) =>
      Effect.map(Clock.Clock, (clock) => {
        let waited = 0
        let received = 0
        let hasBegun = false
        const now = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
        return Effect.suspend(() => {
          const began = now()
          return Effect.timeoutOrElse(
            // While a body is read nothing has begun, so the request may be interrupted.
            Effect.interruptible(pull),
            {
              duration: Math.max(0, (hasBegun ? patienceMillis(pace, received) : firstByteMillis(pace)) - waited),
              orElse: () => Effect.fail(tooSlow())
            }
          ).pipe(
            Effect.tap((chunks) =>
              Effect.sync(() => {
                waited += now() - began
                hasBegun = true
                for (const chunk of chunks) received += chunk.length
                if (!chunks.some(isNew)) return
                waited = 0
                received = 0
              })
            )
          )
        })
      })
    )
