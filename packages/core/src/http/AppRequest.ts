/**
 * A request as the HTTP application needs it. Listeners provide only this, because building a framework's request object costs more than
 * most operations.
 */
import { ByteSize, Effect, Stream } from "effect"
import { maxShortBytes } from "./BodyLimits.ts"
import { HttpIncomingMessage, type HttpServerError, type HttpServerRequest } from "effect/http"

/** Why a body was not read to its end. */
export type BodyProblem = "too_large" | "too_slow" | "unreadable"

export interface AppRequest {
  readonly method: string
  /** Path and query, as they were sent. */
  readonly url: string
  /** Lower-cased names. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** A short body of an announced length to its end, unless it takes longer than that. */
  readonly readBytes: (graceMillis: number) => Effect.Effect<Uint8Array, BodyProblem>
  /** The bytes of a body as they arrive, to be read once; empty if the request has none. */
  readonly stream: () => Stream.Stream<Uint8Array, BodyProblem>
  /** For uses that need the full request: the host's `authenticate`. */
  readonly whole: () => HttpServerRequest.HttpServerRequest
}

/** A request of `effect/http`. */
export const appRequest = (request: HttpServerRequest.HttpServerRequest): AppRequest => ({
  method: request.method,
  url: request.url,
  headers: request.headers,
  readBytes: (graceMillis) =>
    Effect.timeoutOrElse(
      Effect.interruptible(
        request.arrayBuffer.pipe(
          Effect.map((buffer) => new Uint8Array(buffer)),
          Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(maxShortBytes)),
          Effect.mapError(bodyProblem)
        )
      ),
      { duration: graceMillis, orElse: () => Effect.fail("too_slow" as const) }
    ),
  stream: () =>
    // A fetch request without a body has no stream, which is not an error.
    "body" in request.source && request.source.body === null
      ? Stream.empty
      : Stream.mapError(request.stream, bodyProblem),
  whole: () => request
})

const bodyProblem = ({ reason }: HttpServerError.HttpServerError): BodyProblem =>
  reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge" ? "too_large" : "unreadable"
