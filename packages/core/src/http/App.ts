/**
 * The HTTP application: turns a request into an answer, for any listener.
 *
 * It uses neither sockets nor frameworks; `appRoute` makes a route of it, `webHandler` a fetch handler, the node package
 * a listener. Rule: requests#order-of-checks.
 */
import { oauthErrorOf, type OperationShape, scimErrorOf, scimMediaType } from "@gatewarden/contract/internal"
import { Context, Effect, Option, References, Scope, Tracer } from "effect"
import { PublicUrl } from "../alert/confirmRecipients.ts"
import { AnalyticsTimeout } from "../usage/analytics/AnalyticsSlots.ts"
import { type Failure, Unavailable } from "../value/failure.ts"
import { Entropy } from "../platform/Entropy.ts"
import { StorageSettings } from "../limits/requireQuota.ts"
import type { Services } from "./Services.ts"
import { isTraced } from "../tracing/operation.ts"
import { answerAuthPage } from "./answerAuthPage.ts"
import { answerOperation, type Target } from "./answerOperation.ts"
import type { AppAnswer, AppRequest } from "./AppRequest.ts"
import type { AppSettings } from "./AppSettings.ts"
import { makeAnswerTurns } from "./AnswerTurns.ts"
import { bytesInFlight } from "./BytesInFlight.ts"
import { type Refusal, asUnavailable, envelope, explainCause } from "./envelope.ts"
import { answerMailPage } from "./mailPage.ts"
import { errorPageHeaders } from "./errorPages.ts"
import { errorDocsFor, routeOf, targetOf } from "./target.ts"
import { namedNothing } from "./matchPath.ts"
import { addressUnknown, knowsAddress } from "./publicAddress.ts"
import { Repetitions } from "./replaying.ts"
import { requestSpan } from "./requestSpan.ts"
import { isScim } from "./scimAnswers.ts"

export interface App {
  /** Answers every request, never fails. To be run uninterruptibly, so that answers are written, with the `services`. */
  readonly answer: (request: AppRequest) => Effect.Effect<AppAnswer, never, Services>
  /**
   * Captured once, when the app is made, clock and other references included; what belongs to a single request is not among
   * them.
   */
  readonly services: Context.Context<Services>
  /** What the `doc_url` of an error begins with that whoever listens answers itself, by path and query of the request. */
  readonly errorDocs: (url: string) => string
}

/** The state that all requests of an instance share. */
type Held = Pick<Target, "reception" | "repetitions">

export const makeApp = (settings: AppSettings): Effect.Effect<App, never, Services> =>
  Effect.map(Effect.context<Services>(), (context) => {
    const held: Held = {
      reception: { limits: settings.bodies, inFlight: bytesInFlight(settings.bodies), turns: makeAnswerTurns() },
      repetitions: new Repetitions()
    }
    const traced = isTraced(context)
    const services: Context.Context<Services> = Context.omit(
      Scope.Scope,
      Tracer.ParentSpan
    )(context).pipe(
      Context.add(AnalyticsTimeout, settings.analyticsTimeoutMillis),
      Context.add(StorageSettings, settings.storage),
      Context.add(PublicUrl, settings.publicUrl),
      Context.add(References.TracerEnabled, traced)
    )
    const answer: App["answer"] = traced
      ? (request) => requestSpan(request, routeOf(settings, request), answerUntraced(settings, held, request))
      : (request) => answerUntraced(settings, held, request)
    return { answer, services, errorDocs: (url) => errorDocsFor(settings, url) }
  })

/**
 * The context of a request: the captured services and the host's span. Merging whole contexts would cost more than the rest of the
 * request.
 */
export const withHostSpan = (
  services: Context.Context<Services>,
  host: Context.Context<never>
): Context.Context<Services> => {
  const span = Context.getOption(host, Tracer.ParentSpan)
  return Option.isNone(span) ? services : Context.add(services, Tracer.ParentSpan, span.value)
}

/** Other ids of a request are replaced. Rule: requests#request-ids. */
export const requestIdPattern = /^[A-Za-z0-9._-]{1,128}$/

const answerUntraced = (
  settings: AppSettings,
  held: Held,
  request: AppRequest
): Effect.Effect<AppAnswer, never, Services> =>
  Effect.flatMap(Entropy, (entropy) => {
    const sentId = request.headers["x-request-id"]
    const requestId = sentId !== undefined && requestIdPattern.test(sentId) ? sentId : entropy.uuid()
    // Answers contain keys and data of accounts, so no cache on the way may store them.
    const headers: Record<string, string> = { "x-request-id": requestId, "cache-control": "no-store" }
    const served = Effect.suspend(() => serve(settings, held, request, requestId, headers))
    // Work that changes nothing may be interrupted.
    return Effect.catchCause(Effect.interruptible(served), (cause) =>
      Effect.map(explainCause(cause), (refusal) => refuse(settings, request, refusal, requestId, headers))
    )
  })

const refuse = (
  settings: AppSettings,
  request: AppRequest,
  refusal: Refusal,
  requestId: string,
  headers: Record<string, string>
): AppAnswer => {
  // The rest of a body that arrived too slowly is not awaited.
  if (refusal.reason === "request_timeout") headers["connection"] = "close"
  if (refusal.retryAfterSeconds !== undefined) headers["retry-after"] = String(refusal.retryAfterSeconds)
  const docs = errorDocsFor(settings, request.url)
  if (isScim(settings, request.url)) headers["content-type"] = scimMediaType
  return {
    status: refusal.status,
    body: JSON.stringify(refusalBody(settings, request, withName(settings, request, refusal), requestId, docs)),
    headers
  }
}

/** A 404 that names nothing yet says what the path names. */
const withName = (settings: AppSettings, request: AppRequest, refusal: Refusal): Refusal => {
  if (refusal.reason !== "not_found" || (refusal.issues ?? []).length > 0) return refusal
  const { found } = targetOf(settings, request)
  const issue = found.kind === "found" ? namedNothing(found.operation) : undefined
  return issue === undefined ? refusal : { ...refusal, issues: [issue] }
}

const refusalBody = (settings: AppSettings, request: AppRequest, refusal: Refusal, requestId: string, docs: string) => {
  if (hasOAuthErrors(settings, request)) return oauthErrorOf(refusal, docs)
  const error = envelope(refusal, requestId, docs)
  return isScim(settings, request.url) ? scimErrorOf(error) : error
}

/** Rule: authorization#oauth-errors. */
const hasOAuthErrors = (settings: AppSettings, request: AppRequest): boolean => {
  const { found } = targetOf(settings, request)
  if (found.kind !== "found") return false
  const declared: OperationShape = found.operation
  return declared.errorForm === "oauth"
}

const serve = (
  settings: AppSettings,
  held: Held,
  request: AppRequest,
  requestId: string,
  headers: Record<string, string>
): Effect.Effect<AppAnswer, Failure, Services> => {
  const { path, search, found } = targetOf(settings, request)
  if (found.kind === "unknown")
    return Effect.succeed(refuse(settings, request, { status: 404, reason: "unknown_path" }, requestId, headers))
  if (found.kind === "removed")
    return Effect.succeed(refuse(settings, request, { status: 410, reason: "removed_operation" }, requestId, headers))
  if (found.kind === "page")
    return Effect.succeed({ status: 200, body: found.page(), headers: Object.assign(headers, errorPageHeaders) })
  if (found.kind === "authPage" && !settings.authPage)
    return Effect.succeed(refuse(settings, request, { status: 404, reason: "unknown_path" }, requestId, headers))
  if (found.kind === "wrong_method") {
    headers["allow"] = found.allow
    return Effect.succeed(refuse(settings, request, { status: 405, reason: "method_not_allowed" }, requestId, headers))
  }
  if (settings.draining()) return Effect.fail(new Unavailable({ reason: "draining", retryAfterSeconds: 1 }))
  if (found.kind === "found" && found.operation.id === "getAuthorizationServer" && !knowsAddress(settings))
    return Effect.fail(addressUnknown())
  if (found.kind === "authPage") return answerAuthPage(settings, request, { search, requestId, headers })
  if (found.kind === "mailPage") return answerMailPage(request, search, headers)
  // Fields are listed one by one, because spreading an object takes three microseconds.
  const { reception, repetitions } = held
  const target: Target = { reception, repetitions, requestId, headers, path, search }
  const answered = answerOperation(settings, request, target, found)
  const { errors }: OperationShape = found.operation
  return errors.includes(503) ? asUnavailable(answered) : answered
}
