/**
 * The whole HTTP face as one effect: match, authenticate, limit, decode, call, print.
 *
 * It knows neither sockets nor frameworks; `effect.ts` makes routes of it, `index.ts` a fetch handler, the node package
 * a listener. Source: decisions 4 (order of checks).
 */
import { type Operation, operations, type OperationShape, type Reason } from "@gatewarden/contract"
import { Cause, Context, Effect, Option, References, Scope, Tracer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { DecisionCache } from "../enforcement/DecisionCache.ts"
import { AnalyticsTimeout } from "../analytics/AnalyticsTimeout.ts"
import {
  type Failure,
  FileStorageUnavailable,
  Forbidden,
  notFound,
  OutcomeUnknown,
  StoreUnavailable,
  Unavailable
} from "../failure.ts"
import { identifyCaller } from "../hosting/identifyCaller.ts"
import { consumeRateLimits } from "../limits/consumeRateLimits.ts"
import { Digest } from "../platform/Digest.ts"
import { Entropy } from "../platform/Entropy.ts"
import type { Services } from "../ports.ts"
import { isTraced } from "../tracing/isTraced.ts"
import { namesForeignWorkspace } from "../workspace/namesForeignWorkspace.ts"
import { checkInput } from "./checkInput.ts"
import { envelope, type Printed } from "./envelope.ts"
import { handlers } from "./handlers.ts"
import type { Input } from "./Input.ts"
import { makeMatcher, type Match } from "./matchPath.ts"
import { noBody, readBody } from "./readBody.ts"
import { readQuery } from "./readQuery.ts"
import { type RegionPolicy, regionOf } from "./region.ts"
import { replaying, type Answer } from "./replaying.ts"
import { requestSpan } from "./requestSpan.ts"
import { rewriteAnswer, successStatus, type WireProfile, wireProfileOf } from "./wireProfile.ts"

export interface AppSettings {
  /** The path under which the operations live; it carries the version segment. */
  readonly basePath: string
  /** `kept`: targets carry the base path. `either`: a host may have stripped it. */
  readonly prefix: "kept" | "either"
  readonly wire: WireProfile | "auto"
  readonly region: RegionPolicy
  /** Milliseconds after which an analytics query is given up with 408. */
  readonly analyticsTimeoutMillis: number
  /** True once the process shuts down: new requests get 503. */
  readonly draining: () => boolean
}

export const basePathPattern = /^(?:\/|(?:\/[A-Za-z0-9._~-]+)+)$/

export const defaultSettings: AppSettings = {
  basePath: "/api/v1",
  prefix: "kept",
  wire: "auto",
  region: {},
  analyticsTimeoutMillis: 30_000,
  draining: () => false
}

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

const match = makeMatcher<Operation>(operations)

const jsonType = "application/json"

const respond = (status: number, body: string, headers: Record<string, string>): Response =>
  HttpServerResponse.text(body, { status, contentType: jsonType, headers })

/**
 * Answers every request, never fails. Services, clock and other references are captured once, when the app is made; what
 * belongs to a single request is not among them.
 */
export const makeApp = (settings: AppSettings) =>
  Effect.map(Effect.context<Services>(), (context) => {
    const traced = isTraced(context)
    const services: Context.Context<Services> = Context.omit(
      Scope.Scope,
      Tracer.ParentSpan
    )(context).pipe(
      Context.add(AnalyticsTimeout, settings.analyticsTimeoutMillis),
      Context.add(References.TracerEnabled, traced)
    )
    return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      const answered = answer(settings, request)
      return Effect.updateContext(
        traced ? requestSpan(request, routeOf(settings, request), answered) : answered,
        within(services)
      )
    })
  })

/** The context of a request: what was captured, and the span that the host has begun. Merging whole contexts costs more than all else. */
const within =
  (services: Context.Context<Services>) =>
  (host: Context.Context<never>): Context.Context<Services> => {
    const span = Context.getOption(host, Tracer.ParentSpan)
    return Option.isNone(span) ? services : Context.add(services, Tracer.ParentSpan, span.value)
  }

export const requestIdPattern = /^[A-Za-z0-9._-]{1,128}$/

const answer = (settings: AppSettings, request: Request): Effect.Effect<Response, never, Services> =>
  Effect.flatMap(Entropy, (entropy) => {
    const sentId = request.headers["x-request-id"]
    const requestId = sentId !== undefined && requestIdPattern.test(sentId) ? sentId : entropy.uuid()
    // Answers show keys once and accounts' data always: nothing between us and the caller may keep them.
    const headers: Record<string, string> = { "x-request-id": requestId, "cache-control": "no-store" }
    // Hosts run requests uninterruptibly, so that answers are written. The work may be broken off as long as it changes nothing.
    return Effect.catchCause(Effect.interruptible(serve(settings, request, requestId, headers)), (cause) =>
      Effect.map(explain(cause), (printed) => refuse(printed, requestId, headers))
    )
  })

const refuse = (
  failure: Printed & { readonly retryAfterSeconds?: number },
  requestId: string,
  headers: Record<string, string>
): Response => {
  if (failure.retryAfterSeconds !== undefined) headers["retry-after"] = String(failure.retryAfterSeconds)
  return respond(failure.status, JSON.stringify(envelope(failure, requestId)), headers)
}

/** What a cause means to the user. A cause that is no failure is logged by its name only: it may carry what was submitted. */
const explain = (cause: Cause.Cause<Failure>): Effect.Effect<Printed & { readonly retryAfterSeconds?: number }> => {
  for (const reason of cause.reasons) {
    if (Cause.isFailReason(reason)) {
      const failure = reason.error
      return Effect.succeed({
        status: failure.status,
        reason: failure.reason,
        issues: failure.issues,
        ...("text" in failure && failure.text !== undefined ? { text: failure.text } : {}),
        ...("retryAfterSeconds" in failure ? { retryAfterSeconds: failure.retryAfterSeconds } : {})
      })
    }
  }
  // The client has hung up and reads no answer, or the process ends.
  if (Cause.hasInterruptsOnly(cause)) return Effect.succeed({ status: 503, reason: "draining", retryAfterSeconds: 1 })
  const defect = cause.reasons.find(Cause.isDieReason)?.defect
  const gone = goneReason(defect)
  if (gone !== undefined) return Effect.as(Effect.logError(gone), { status: 500, reason: gone } as const)
  if (defect instanceof OutcomeUnknown)
    return Effect.as(Effect.logError("outcome of a commit unknown"), {
      status: 500,
      reason: "outcome_unknown"
    } as const)
  return Effect.as(Effect.logError("unexpected failure", { defect: describeDefect(defect) }), {
    status: 500,
    reason: "unexpected_failure"
  } as const)
}

/** Name and place of a defect, without its message: messages of parsers and databases repeat what was submitted. */
const describeDefect = (defect: unknown): Record<string, string> => {
  if (!(defect instanceof Error)) return { name: typeof defect }
  const place = /\n\s+at (.+)/.exec(defect.stack ?? "")?.[1]
  return { name: defect.name, ...(place === undefined ? {} : { place }) }
}

type Where = Pick<AppSettings, "basePath" | "prefix">

/** The operation's path within a target, undefined when the target lies outside the base path. */
const pathWithin = (settings: Where, path: string): string | undefined => {
  if (settings.basePath === "/" || settings.basePath === "") return path
  if (path.startsWith(`${settings.basePath}/`)) return path.slice(settings.basePath.length)
  return settings.prefix === "either" ? path : undefined
}

/** A request's target in its parts, and the operation that it names. */
const targetOf = (settings: Where, { method, url }: Pick<Request, "method" | "url">) => {
  const questionMark = url.indexOf("?")
  const rawPath = questionMark === -1 ? url : url.slice(0, questionMark)
  const path = pathWithin(settings, rawPath)
  return {
    path: path ?? "",
    search: questionMark === -1 ? "" : url.slice(questionMark + 1),
    found: path === undefined ? ({ kind: "unknown" } as const) : match(method, path)
  }
}

/**
 * The declared path of the operation that a request names, with its parameters unfilled; undefined when it names none. This
 * much of a target may be logged: what was sent in its place may be a secret.
 */
export const routeOf = (settings: Where, request: Pick<Request, "method" | "url">): string | undefined => {
  const { found } = targetOf(settings, request)
  if (found.kind !== "found") return undefined
  return settings.basePath === "/" ? found.operation.path : settings.basePath + found.operation.path
}

/** Whether some operation has the path of a target, whatever the method. */
export const isPathOfOurs = (settings: Where, url: string): boolean =>
  targetOf(settings, { method: "GET", url }).found.kind !== "unknown"

const serve = (
  settings: AppSettings,
  request: Request,
  requestId: string,
  headers: Record<string, string>
): Effect.Effect<Response, Failure, Services> => {
  const { path, search, found } = targetOf(settings, request)
  if (found.kind === "unknown")
    return Effect.succeed(refuse({ status: 404, reason: "unknown_path" }, requestId, headers))
  if (found.kind === "wrong_method") {
    headers["allow"] = found.allow
    return Effect.succeed(refuse({ status: 405, reason: "method_not_allowed" }, requestId, headers))
  }
  if (settings.draining()) return Effect.fail(new Unavailable({ reason: "draining", retryAfterSeconds: 1 }))
  const answered = answerOperation(settings, request, { requestId, headers, path, search }, found)
  const { errors }: OperationShape = found.operation
  return errors.includes(503) ? asUnavailable(answered) : answered
}

/** Operations that declare 503 answer it, and when to come back, where others answer 500 (decisions 4). */
const asUnavailable = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | Unavailable, R> =>
  Effect.catchDefect(effect, (defect) => {
    const reason = goneReason(defect)
    if (reason === undefined) return Effect.die(defect)
    return Effect.andThen(Effect.logError(reason), Effect.fail(new Unavailable({ reason, retryAfterSeconds: 1 })))
  })

/** What of the installation does not answer, undefined for any other defect. */
const goneReason = (defect: unknown): Reason | undefined => {
  if (defect instanceof StoreUnavailable) return "store_unavailable"
  return defect instanceof FileStorageUnavailable ? "file_storage_unavailable" : undefined
}

interface Target {
  readonly requestId: string
  readonly headers: Record<string, string>
  /** Within the base path. */
  readonly path: string
  readonly search: string
}

const answerOperation = Effect.fnUntraced(function* (
  settings: AppSettings,
  request: Request,
  { requestId, headers, path, search }: Target,
  found: Extract<Match<Operation>, { kind: "found" }>
) {
  const operation = found.operation
  const declared: OperationShape = operation
  const profile = wireProfileOf(settings.wire, request.headers["user-agent"])

  const caller = declared.access === "anyone" ? undefined : yield* identifyCaller(request)
  if (caller !== undefined) {
    if (declared.rateLimits !== undefined) yield* consumeRateLimits(operation, caller, headers)
    if (operation.access === "managementKey" && caller.kind !== "management")
      return yield* new Forbidden({ reason: "management_key_required" })
    if (declared.ownWorkspaceOnly && namesForeignWorkspace(caller, search))
      return yield* new Forbidden({ reason: "foreign_workspace" })
  }

  const work = Effect.gen(function* () {
    const body = declared.body === undefined ? noBody : yield* readBody(request, declared.body)
    const query =
      declared.query === undefined
        ? {}
        : yield* checkInput(declared.query, yield* readQuery(search, declared.query), "query.")
    // A malformed id names nothing.
    const params =
      declared.params === undefined
        ? {}
        : yield* Effect.catchTag(checkInput(declared.params, found.params), "BadRequest", () => Effect.fail(notFound()))
    const input = {
      caller,
      params,
      query,
      body: body.value,
      sent: body.sent,
      request: { id: requestId, headers: request.headers, region: regionOf(settings.region, request.headers) }
    }
    const run = Effect.suspend(() =>
      Effect.map(call(operation, input), (value): Answer => {
        return {
          status: successStatus(profile, operation),
          body: JSON.stringify(rewriteAnswer(profile, operation.id, value))
        }
      })
    )
    return operation.method === "POST" && caller !== undefined
      ? yield* replaying({ request, route: `POST ${path}`, caller, body, atomic: isAtomic(declared) }, run, headers)
      : yield* run
  })
  // Once a change was begun, a client that hangs up must not leave it half done.
  const done = yield* declared.method === "GET" || declared.readOnly
    ? work
    : Effect.uninterruptible(changesPolicy(declared) ? Effect.ensuring(work, forgetDecisions) : work)
  if (declared.success.etag) {
    const digest = yield* Digest
    const etag = `"${yield* digest.sha256Hex(done.body)}"`
    headers["etag"] = etag
    headers["cache-control"] = "private, no-cache"
    if (matchesEtag(request.headers["if-none-match"], etag)) return HttpServerResponse.empty({ status: 304, headers })
  }
  return respond(done.status, done.body, headers)
})

/** What a data plane reports changes nothing that decisions stand on; everything else that is written may. */
const changesPolicy = ({ tag, method }: OperationShape): boolean => tag !== "Gateway" || method === "PUT"

/** A change counts at once on the process that made it, whatever became of it (decisions 2). */
const forgetDecisions = Effect.map(DecisionCache, (cache) => cache.clear())

/** Files are kept elsewhere as well, lines take as long as their client likes, and what changes nothing has nothing to lose. */
const isAtomic = ({ body, readOnly }: OperationShape): boolean => body?.kind === "json" && readOnly !== true

/** RFC 9110 13.1.2: `*` or a list of tags, compared weakly. */
const matchesEtag = (condition: string | undefined, etag: string): boolean =>
  condition !== undefined &&
  condition.split(",").some((tag) => {
    const trimmed = tag.trim()
    return trimmed === "*" || trimmed.replace(/^W\//, "") === etag
  })

/** The table pairs every operation with its own handler, so the input checked against the one fits the other. */
const call = (operation: Operation, input: unknown): Effect.Effect<unknown, Failure, Services> =>
  (handlers[operation.id] as (input: Input<Operation>) => Effect.Effect<unknown, Failure, Services>)(
    input as Input<Operation>
  )
