/**
 * A body that arrives too slowly is given up: whoever sends a byte now and then holds nothing for long.
 *
 * What counts is the time spent waiting for the client. While the gateway itself is busy with what came, no time runs.
 */
import { Clock, Effect, Stream } from "effect"
import { TimedOut } from "../failure.ts"
import type { BodyLimits } from "./BodyLimits.ts"

export type Pace = Pick<BodyLimits, "graceMillis" | "minBytesPerSecond">

export const tooSlow = () => new TimedOut({ reason: "request_timeout" })

/** Milliseconds that `received` bytes may be waited for. */
export const patienceMillis = ({ graceMillis, minBytesPerSecond }: Pace, received: number): number =>
  graceMillis + (received / minBytesPerSecond) * 1000

/**
 * Fails with 408 once more time was waited than what has arrived allows.
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
        const now = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
        return Effect.suspend(() => {
          const began = now()
          return Effect.timeoutOrElse(
            // Nothing was begun while a body is read, so it may break off.
            Effect.interruptible(pull),
            { duration: Math.max(0, patienceMillis(pace, received) - waited), orElse: () => Effect.fail(tooSlow()) }
          ).pipe(
            Effect.tap((chunks) =>
              Effect.sync(() => {
                waited += now() - began
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
