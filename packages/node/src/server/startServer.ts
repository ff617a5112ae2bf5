/**
 * An instance behind a listener of its own: the socket opens when everything else is built, and closes in order.
 *
 * Rule: operating#first-line. Requests go to the core without a detour through fetch values.
 */
import {
  type App,
  type AppSettings,
  type InstanceOptions,
  routeOf,
  type Services,
  startInstance
} from "@gatewarden/core/internal"
import { type Context, Duration, Effect, Option, type Redacted } from "effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { getHeapStatistics } from "node:v8"
import { answerNode } from "../http/answerNode.ts"
import { continueWhenRead } from "../http/continueWhenRead.ts"
import { relative } from "../http/fetchRequest.ts"
import { inspectHeaders } from "../http/inspectHeaders.ts"
import { inTurn } from "../http/inTurn.ts"
import { joinPieces } from "../http/joinPieces.ts"
import { limitConnections } from "../http/limitConnections.ts"
import { refuseMalformed } from "../http/refuseMalformed.ts"
import { refuseUnreadable } from "../http/refuseUnreadable.ts"
import { Slots } from "../http/Slots.ts"
import { layerPlatform } from "../platform/layerPlatform.ts"
import type { HostRoutes, Served } from "./HostRoutes.ts"
import { logRequest, logsRequests, type RequestLevel } from "./logRequest.ts"
import { openRoutes } from "./openRoutes.ts"
import { close, listen, originOf, whileConnected } from "../platform/listening.ts"
import type { ServerPages } from "../platform/ServerPage.ts"
import { answerPage, answerProbe, probeAt } from "./probes.ts"

export interface ServerOptions<E, R, E2 = never> extends Omit<InstanceOptions<E, R>, "settings"> {
  readonly settings: Omit<AppSettings, "draining" | "prefix">
  readonly host: string
  /** 0 picks a free one. */
  readonly port: number
  /**
   * How long the socket stays open once draining has begun, as long as a connection is, so that load balancers find out by
   * `readyz` and by refusals that ask to come again. Default 0.
   */
  readonly drainDelay?: Duration.Input | undefined
  /** How long requests in flight may go on once draining has begun. Default 25 seconds. */
  readonly drainTimeout?: Duration.Input | undefined
  /** How long a connection may be silent, both ways, before it is cut. Default 2 minutes. */
  readonly idleTimeout?: Duration.Input | undefined
  /** How long the headers of a request may take. Default 20 seconds. */
  readonly headersTimeout?: Duration.Input | undefined
  /** What is served beside the operations. */
  readonly pages?: ServerPages | undefined
  /** What a host answers beside the operations and the pages. */
  readonly routes?: ((served: Served) => HostRoutes) | undefined
  /** Runs once the store is ready and before the socket opens; receives the key that was generated, to be shown once. */
  readonly prepare?: (generatedKey: Redacted.Redacted<string> | undefined) => Effect.Effect<void, E2, Services>
}

export interface RunningServer {
  /** `http://HOST:PORT<base path>`. */
  readonly url: string
  readonly services: Context.Context<Services>
  /** Of the host's routes. */
  readonly notes: Readonly<Record<string, string>>
  /**
   * Refuses new requests with 503 and waits for those in flight, as long as the drain timeout allows; then closes the
   * socket. What is left is interrupted when the scope closes, which waits a short time for it.
   */
  readonly drain: Effect.Effect<void>
}

/** Builds the instance, then listens. Fails with exit code 69 when the address cannot be had. */
export const startServer = <E, R, E2 = never>(options: ServerOptions<E, R, E2>) =>
  Effect.gen(function* () {
    let draining = false
    const settings: AppSettings = { ...options.settings, prefix: "kept", ownsRoot: true, draining: () => draining }
    const instance = yield* startInstance({ ...options, settings })
    const services: Context.Context<Services> = instance.services
    if (options.prepare !== undefined) yield* Effect.provideContext(options.prepare(instance.generatedKey), services)

    const { app } = instance
    const adapter = answerNode(
      {
        ...app,
        answer: face(app, settings, options.pages ?? (() => undefined), options.routes === undefined ? "Debug" : "Info")
      },
      settings.bodies
    )
    const hasPage = (path: string): boolean =>
      probeAt(path, settings.draining) !== undefined || options.pages?.(path) !== undefined
    const hosted = options.routes === undefined ? undefined : openRoutes(app, settings, hasPage, options.routes)
    const listener = hosted === undefined ? adapter.listener : hosted.listener(adapter.listener)
    const requests = trackRequests(listener, () => draining, app.errorDocs)
    const server = createServer(
      {
        keepAliveTimeout: 65_000,
        headersTimeout: millisOf(options.headersTimeout ?? "20 seconds"),
        connectionsCheckingInterval: 1_000,
        // Bodies are the core's to wait for: a stream of lines may take as long as it has lines.
        requestTimeout: 0,
        // A request without a Host is refused below, in Gatewarden's form.
        requireHostHeader: false
      },
      requests.listener
    )
    // Node drops what is beyond its count, so it counts one more than is taken.
    server.maxHeadersCount = mostHeaders + 1
    const refuse = refuseUnreadable(settings)
    const join = (request: IncomingMessage) => joinPieces(request, (cause) => refuse(cause, request.socket))
    for (const event of ["request", "checkContinue", "checkExpectation"]) server.prependListener(event, join)
    limitConnections(server, Math.floor(getHeapStatistics().heap_size_limit / bytesOfConnection))
    // A silent connection is cut, whatever it waits for.
    server.setTimeout(millisOf(options.idleTimeout ?? "2 minutes"))
    server.on("clientError", refuse)
    server.on("checkContinue", continueWhenRead(requests.listener))
    // What else a client may expect is no reason to refuse it (RFC 9110 10.1.1).
    server.on("checkExpectation", requests.listener)
    if (hosted !== undefined) yield* Effect.addFinalizer(() => hosted.idle)
    yield* Effect.acquireRelease(listen(server, options.host, options.port), () => close(server, 0))
    // A change is not interrupted half done. One that waits for a service that does not answer must not keep the store open.
    yield* Effect.addFinalizer(() => Effect.timeoutOption(Effect.interruptible(adapter.interrupt), changesMillis))

    const drain = Effect.gen(function* () {
      draining = true
      requests.lastOfConnections()
      yield* whileConnected(server).pipe(Effect.timeoutOption(options.drainDelay ?? 0))
      const finished = yield* requests.idle.pipe(Effect.timeoutOption(options.drainTimeout ?? "25 seconds"))
      yield* close(server, Option.isSome(finished) ? refusalMillis : 0)
    })
    const url = originOf(server, options.host) + options.settings.basePath
    return { url, services, notes: hosted?.notes ?? {}, drain } satisfies RunningServer
  }).pipe(Effect.provide(layerPlatform))

/**
 * The paths of the server itself beside those of the core.
 */
const face = (app: App, settings: AppSettings, pages: ServerPages, level: RequestLevel): App["answer"] => {
  const answer: App["answer"] = (request) => {
    const path = pathOf(request.url)
    const probe = probeAt(path, settings.draining)
    if (probe !== undefined)
      return Effect.interruptible(Effect.withTracerEnabled(answerProbe(request, probe, app.errorDocs), false))
    const page = pages(path)
    return page === undefined ? app.answer(request) : answerPage(request, page, app)
  }
  if (!logsRequests(app, level)) return answer
  return (request) => {
    const path = pathOf(request.url)
    // Probes and the API page come often, and say nothing.
    return probeAt(path, settings.draining) === undefined && pages(path) === undefined
      ? logRequest(level, request.method, routeOf(settings, request), answer(request))
      : logRequest("Debug", request.method, path, answer(request))
  }
}

const millisOf = (duration: Duration.Input): number => Duration.toMillis(Duration.fromInputUnsafe(duration))

const pathOf = (url: string): string => {
  const questionMark = url.indexOf("?")
  return questionMark === -1 ? url : url.slice(0, questionMark)
}

/** Bytes of heap for a connection: headers of 16 KiB, more than once while they are read, and what answers them. */
const bytesOfConnection = 131_072

/** Headers of a request are in memory until its answer has been read. */
const mostHeaders = 100

type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** Counts the requests that were let in before draining began, and tells connections of later ones to close. */
const trackRequests = (handle: Listener, draining: () => boolean, errorDocs: App["errorDocs"]) => {
  const inFlight = new Slots<ServerResponse>()
  let onIdle = (): void => {}
  const begin: Listener = (request, response) => {
    request.url = relative(request.url ?? "") || "/"
    if (draining()) response.setHeader("connection", "close")
    else {
      const slot = inFlight.take(response)
      response.once("close", () => {
        inFlight.free(slot)
        if (inFlight.size === 0) onIdle()
      })
    }
    if (request.rawHeaders.length > 2 * mostHeaders)
      return refuseMalformed(response, errorDocs(request.url), "header", `Expected at most ${mostHeaders} headers`)
    const { hosts, joinedAuthorization } = inspectHeaders(request.rawHeaders)
    if (hosts > 1 || (hosts === 0 && request.httpVersion === "1.1"))
      return refuseMalformed(response, errorDocs(request.url), "header.host", "Expected one Host header")
    if (joinedAuthorization !== undefined) request.headers.authorization = joinedAuthorization
    handle(request, response)
  }
  const listener: Listener = (request, response) => inTurn(request, response, () => begin(request, response))
  const idle = Effect.callback<void>((resume) => {
    onIdle = () => resume(Effect.void)
    if (inFlight.size === 0) onIdle()
  })
  /** Answers that are yet to be written end their connections too. */
  const lastOfConnections = () => {
    for (const response of inFlight.values()) if (!response.headersSent) response.setHeader("connection", "close")
  }
  return { listener, idle, lastOfConnections }
}

/** How long changes of requests that were cut may take to end. */
const changesMillis = 3_000

/** How long refusals that are on their way out while the socket closes may take. */
const refusalMillis = 1_000
