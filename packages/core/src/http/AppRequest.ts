/**
 * A request as the HTTP application needs it. Listeners provide only this, because building a framework's request object costs more than
 * most operations.
 */
import { Clock, Effect, Stream } from "effect"
import { TimedOut } from "../value/failure.ts"
import type { BodyLimits } from "./BodyLimits.ts"

/** Why a body was not read to its end. */
export type BodyProblem = "too_large" | "too_slow" | "unreadable"

export interface AppRequest {
  readonly method: string
  /** Path and query, as they were sent. */
  readonly url: string
  /** Lower-cased names. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** A short body of an announced length to its end, unless its first byte or its last takes too long. */
  readonly readBytes: (pace: Pace) => Effect.Effect<Uint8Array, BodyProblem>
  /** The bytes of a body as they arrive, to be read once; empty if the request has none. */
  readonly stream: () => Stream.Stream<Uint8Array, BodyProblem>
  /** For the host's `authenticate`, which does not read the body: the request that `fetch` was given, or one that says the same. */
  readonly whole: () => Effect.Effect<Request>
}

/** An answer, before the listener writes it. */
export interface AppAnswer {
  readonly status: number
  /** Lower-cased names. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * JSON, unless `content-type` is among the headers; a long one as pieces of its UTF-8; a content as a stream, which whoever gets the
   * answer reads to its end or cancels; undefined where there is none, as for 304.
   */
  readonly body: string | readonly Uint8Array[] | ReadableStream<Uint8Array> | undefined
  /** Ends the counting of a long answer in memory. The listener calls it when the client has read the answer, or is gone. */
  readonly release?: (() => void) | undefined
}

/** Gives up what an answer has not sent yet, for whoever does not write it. */
export const discardAnswer = ({ body, release }: AppAnswer): void => {
  release?.()
  if (body instanceof ReadableStream) void body.cancel().catch(() => {})
}

export const jsonType = "application/json"

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
 * Gives up a body that arrives too slowly, so that a slow client cannot hold resources.
 *
 * Counts only time spent waiting for the client, not the server's own processing time.
 *
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
