/**
 * The span of a request: it continues the caller's trace and is the parent of all other spans of the request.
 *
 * Source: OpenTelemetry's conventions for HTTP server spans, without the path and query, which may contain a secret: only the route is
 * recorded.
 */
import type { Region } from "@gatewarden/contract"
import { Data, Effect, Option, Tracer } from "effect"
import { readTraceContext } from "../tracing/traceContext.ts"
import { BadRequest } from "../value/failure.ts"
import type { AppAnswer, AppRequest } from "./AppRequest.ts"

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

/**
 * The ingress region of a request.
 *
 * Rule: requests#ingress-regions.
 */
export interface RegionPolicy {
  /** The region of every request, for a process behind one ingress. Clients cannot change it. */
  readonly fixed?: Region
  /** Region by host name, lower-case, without port; unmatched is `global`. Only where a proxy fixes the header. */
  readonly hosts?: Readonly<Record<string, Region>>
  /** How many proxies stand in front. From one on `X-Forwarded-Host` counts in place of `Host`. Default: none. */
  readonly trustedProxies?: number
}

/**
 * In a list of `X-Forwarded-Host` the last entry counts, because the proxy in front wrote it; earlier entries came from its caller. Behind
 * more than one proxy no entry is trustworthy, so a list gives undefined
 * (Rule: requests#ingress-regions).
 */
export const regionOf = (
  policy: RegionPolicy,
  headers: Readonly<Record<string, string | undefined>>
): Region | undefined => {
  if (policy.fixed !== undefined) return policy.fixed
  if (policy.hosts === undefined) return "global"
  const { trustedProxies = 0 } = policy
  const entries = trustedProxies > 0 ? headers["x-forwarded-host"]?.split(",") : undefined
  if (trustedProxies > 1 && entries !== undefined && entries.length > 1) return undefined
  const forwarded = entries?.at(-1)?.trim()
  const host = (forwarded ?? headers["host"] ?? "").toLowerCase().replace(/:\d*$/, "").replace(/\.$/, "")
  return Object.hasOwn(policy.hosts, host) ? (policy.hosts[host] ?? "global") : "global"
}

/** The refusal of a request whose region `regionOf` cannot tell. */
export const ambiguousHost = () =>
  new BadRequest({
    reason: "invalid_header",
    issues: [
      { path: "header.x-forwarded-host", code: "ambiguous_host", message: "Expected one host behind several proxies" }
    ]
  })
