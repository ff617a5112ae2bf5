/**
 * The span of a request: it continues the caller's trace and is the parent of all other spans of the request.
 *
 * Source: OpenTelemetry's conventions for HTTP server spans, without the path and query, which may contain a secret: only the route is
 * recorded.
 */
import { Data, Effect, Option, Tracer } from "effect"
import { readTraceContext } from "../tracing/readTraceContext.ts"
import type { AppAnswer } from "./AppAnswer.ts"
import type { AppRequest } from "./AppRequest.ts"

/** An answer that marks its span as failed. */
class ServerError extends Data.TaggedError("ServerError")<{ readonly response: AppAnswer }> {}

const knownMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

/** `route`: the declared path that the request names, if it names one. */
export const requestSpan = <R>(
  request: Pick<AppRequest, "method" | "headers">,
  route: string | undefined,
  answer: Effect.Effect<AppAnswer, never, R>
): Effect.Effect<AppAnswer, never, R> => {
  const method = knownMethods.has(request.method) ? request.method : "_OTHER"
  const attributes = { "http.request.method": method, ...(route === undefined ? {} : { "http.route": route }) }
  const name = `${method === "_OTHER" ? "HTTP" : method}${route === undefined ? "" : ` ${route}`}`
  return Effect.flatMap(Effect.serviceOption(Tracer.ParentSpan), (ofHost) => {
    const parent = Option.getOrUndefined(ofHost) ?? readTraceContext(request.headers)
    return Effect.useSpan(name, { kind: "server", parent, attributes }, (span) =>
      Effect.flatMap(Effect.provideService(answer, Tracer.ParentSpan, span), (response) => {
        span.attribute("http.response.status_code", response.status)
        const requestId = response.headers["x-request-id"]
        if (requestId !== undefined) span.attribute("gatewarden.request_id", requestId)
        return response.status < 500 ? Effect.succeed(response) : Effect.fail(new ServerError({ response }))
      })
    )
  }).pipe(Effect.catchTag("ServerError", ({ response }) => Effect.succeed(response)))
}
