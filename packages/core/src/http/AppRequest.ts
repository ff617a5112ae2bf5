/**
 * A request as the HTTP face needs it. Whoever listens gives this much and no more: an object of a framework costs more than
 * what most operations do.
 */
import { ByteSize, Effect } from "effect"
import { HttpIncomingMessage, type HttpServerError, type HttpServerRequest } from "effect/http"

/** Why a body was not read to its end. */
export type BodyProblem = "too_large" | "unreadable"

export interface AppRequest {
  readonly method: string
  /** Path and query, as they were sent. */
  readonly url: string
  /** Lower-cased names. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The body to its end, unless it has more bytes than that. */
  readonly readBytes: (maxBytes: number) => Effect.Effect<Uint8Array, BodyProblem>
  /** For what wants more of it: a body that is read while it arrives, a host that is asked who calls. */
  readonly whole: () => HttpServerRequest.HttpServerRequest
}

/** A request of `effect/http`. */
export const appRequest = (request: HttpServerRequest.HttpServerRequest): AppRequest => ({
  method: request.method,
  url: request.url,
  headers: request.headers,
  readBytes: (maxBytes) =>
    request.arrayBuffer.pipe(
      Effect.map((buffer) => new Uint8Array(buffer)),
      Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(maxBytes)),
      Effect.mapError(bodyProblem)
    ),
  whole: () => request
})

export const bodyProblem = ({ reason }: HttpServerError.HttpServerError): BodyProblem =>
  reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge" ? "too_large" : "unreadable"
