/**
 * A request as the HTTP application needs it. Listeners provide only this, because building a framework's request object costs more than
 * most operations.
 */
import type { Effect, Stream } from "effect"
import type { Pace } from "./paced.ts"

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
