/** The app for `effect/http`, which brings the request and what the host does with it. */
import { ByteSize, type Context, Data, Effect, Option, Stream } from "effect"
import { HttpIncomingMessage, type HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { pieceBytes } from "../value/bytes.ts"
import { type App, withHostSpan } from "./App.ts"
import { type AppAnswer, type AppRequest, type BodyProblem, discardAnswer, jsonType } from "./AppRequest.ts"
import { maxShortBytes } from "./BodyLimits.ts"

/** The rest of a content does not come. */
class ContentBroken extends Data.TaggedError("ContentBroken")<{}> {}

/** Answers the request of its context, with the app's services and the host's span. */
export const appRoute = ({
  answer,
  services
}: Pick<App, "answer" | "services">): Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  never,
  HttpServerRequest.HttpServerRequest
> =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
    Effect.map(
      Effect.updateContext(answer(appRequest(request)), (host: Context.Context<never>) => withHostSpan(services, host)),
      (answered) => appResponse(request.method, answered)
    )
  )

const appRequest = (request: HttpServerRequest.HttpServerRequest): AppRequest => ({
  method: request.method,
  url: request.url,
  headers: request.headers,
  readBytes: ({ graceMillis }) =>
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
  // As the host's middleware left it. The body is read from the host's own.
  whole: () =>
    Effect.sync(() => {
      const url = Option.getOrElse(HttpServerRequest.toURL(request), () => new URL("http://localhost/"))
      return new Request(url, { method: request.method, headers: request.headers })
    })
})

const bodyProblem = ({ reason }: HttpServerError.HttpServerError): BodyProblem =>
  reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge" ? "too_large" : "unreadable"

const encoder = new TextEncoder()

const appResponse = (method: string, answered: AppAnswer): HttpServerResponse.HttpServerResponse => {
  const { status, headers, body, release } = answered
  if (body === undefined) return HttpServerResponse.empty({ status, headers })
  const contentType = headers["content-type"] ?? jsonType
  if (body instanceof ReadableStream) {
    // The stream of an answer to HEAD is never run.
    if (method === "HEAD") discardAnswer(answered)
    const content = Stream.fromReadableStream({ evaluate: () => body, onError: () => new ContentBroken() })
    return HttpServerResponse.stream(content, { status, contentType, headers })
  }
  if (release !== undefined && method === "HEAD") release()
  if (typeof body === "string" && release === undefined)
    return HttpServerResponse.text(body, { status, contentType, headers })
  const pieces = typeof body === "string" ? pieceBytes(encoder.encode(body), maxShortBytes) : body
  const contentLength = pieces.reduce((sum, piece) => sum + piece.length, 0)
  const content = Stream.fromIterable(pieces, { chunkSize: 1 })
  return HttpServerResponse.stream(release === undefined ? content : Stream.ensuring(content, Effect.sync(release)), {
    status,
    contentType,
    contentLength,
    headers
  })
}
