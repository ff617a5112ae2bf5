/**
 * An instance behind a listener of its own: the socket opens when everything else is built, and closes in order.
 *
 * Rule: operating#first-line. Requests go to the core without a detour through fetch values.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import {
  type App,
  type AppSettings,
  type InstanceOptions,
  routeOf,
  type Services,
  startInstance
} from "@gatewarden/core/effect"
import type { BackgroundJobs, StoreHealth } from "@gatewarden/core/store"
import { Clock, Context, Duration, Effect, type LogLevel, Option, type Redacted, References } from "effect"
import { HttpMiddleware, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { continueWhenRead } from "../http/continueWhenRead.ts"
import { discardRest } from "../http/discardRest.ts"
import { inspectHeaders } from "../http/inspectHeaders.ts"
import { refuseMalformed } from "../http/refuseMalformed.ts"
import { refuseUnreadable } from "../http/refuseUnreadable.ts"
import { layerPlatform } from "../platform/layerPlatform.ts"
import { answerDirectly, isShort } from "./answerDirectly.ts"
import { close, listen, originOf, whileConnected } from "./listening.ts"
import type { Pages } from "./Page.ts"
import { Places } from "./Places.ts"
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
  readonly pages?: Pages | undefined
  /** Runs once the store is ready and before the socket opens; receives the key that was generated, to be shown once. */
  readonly prepare?: (generatedKey: Redacted.Redacted<string> | undefined) => Effect.Effect<void, E2, Services>
}

export interface RunningServer {
  /** `http://HOST:PORT<base path>`. */
  readonly url: string
  readonly services: Context.Context<Services>
  /**
   * Refuses new requests with 503 and waits for those in flight, as long as the drain timeout allows; then closes the
   * socket. What is left is interrupted when the scope closes.
   */
  readonly drain: Effect.Effect<void>
}

/** Builds the instance, then listens. Fails with exit code 69 when the address cannot be had. */
export const startServer = <E, R, E2 = never>(options: ServerOptions<E, R, E2>) =>
  Effect.gen(function* () {
    let draining = false
    const settings: AppSettings = { ...options.settings, prefix: "kept", draining: () => draining }
    const instance = yield* startInstance({ ...options, settings })
    const services: Context.Context<Services> = instance.services
    if (options.prepare !== undefined) yield* Effect.provideContext(options.prepare(instance.generatedKey), services)

    const scope = yield* Effect.scope
    const pages = options.pages ?? (() => undefined)
    // Requests run in the context that their handler is made in: nothing is put together for each of them.
    const handle = yield* NodeHttpServer.makeHandler(face(instance.app, settings, pages), {
      scope
    }).pipe(
      Effect.provideContext(services),
      // Its spans carry the whole URL, and so whatever secret was put there by mistake; the core makes ours.
      Effect.provideService(HttpMiddleware.TracerDisabledWhen, () => true)
    )
    const direct = answerDirectly(instance.app)
    // A line for every request is the face's to write.
    const isLogged = logsRequests(Context.get(instance.app.services, References.MinimumLogLevel))
    const isDirect = (request: IncomingMessage): boolean => {
      if (isLogged || !isShort(request)) return false
      const path = pathOf(request.url ?? "")
      return probeAt(path, settings.draining) === undefined && pages(path) === undefined
    }
    const requests = trackRequests(
      (request, response) => {
        if (isDirect(request)) return direct.listener(request, response)
        discardRest(request, response)
        handle(request, response)
      },
      () => draining,
      instance.app.errorDocs
    )
    const server = createServer(
      {
        keepAliveTimeout: 65_000,
        headersTimeout: millisOf(options.headersTimeout ?? "20 seconds"),
        connectionsCheckingInterval: 1_000,
        // Bodies are the core's to wait for: a stream of lines may take as long as it has lines.
        requestTimeout: 0,
        // A request without a Host is refused below, in the gateway's form.
        requireHostHeader: false
      },
      requests.listener
    )
    // A silent connection is cut, whatever it waits for.
    server.setTimeout(millisOf(options.idleTimeout ?? "2 minutes"))
    server.on("clientError", refuseUnreadable(settings))
    server.on("checkContinue", continueWhenRead(requests.listener))
    // What else a client may expect is no reason to refuse it (RFC 9110 10.1.1).
    server.on("checkExpectation", requests.listener)
    yield* Effect.acquireRelease(listen(server, options.host, options.port), () => close(server, 0))
    yield* Effect.addFinalizer(() => direct.interrupt)

    const drain = Effect.gen(function* () {
      draining = true
      requests.lastOfConnections()
      yield* whileConnected(server).pipe(Effect.timeoutOption(options.drainDelay ?? 0))
      const finished = yield* requests.idle.pipe(Effect.timeoutOption(options.drainTimeout ?? "25 seconds"))
      yield* close(server, Option.isSome(finished) ? refusalMillis : 0)
    })
    return { url: originOf(server, options.host) + options.settings.basePath, services, drain } satisfies RunningServer
  }).pipe(Effect.provide(layerPlatform))

/**
 * The paths of the server itself beside those of the core. Every request leaves one line at debug level, with no more of the
 * target than the route: the path and query that were sent may hold a secret.
 */
const face = (app: App, settings: AppSettings, pages: Pages) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const path = pathOf(request.url)
    const probe = probeAt(path, settings.draining)
    const page = pages(path)
    const answer: Effect.Effect<
      HttpServerResponse.HttpServerResponse,
      never,
      HttpServerRequest.HttpServerRequest | StoreHealth | BackgroundJobs
    > =
      probe !== undefined
        ? Effect.withTracerEnabled(answerProbe(request, probe, app.errorDocs), false)
        : page !== undefined
          ? answerPage(request, page, app)
          : app.route
    const level = yield* References.MinimumLogLevel
    if (!logsRequests(level)) return yield* answer
    const route = probe === undefined && page === undefined ? routeOf(settings, request) : path
    const start = yield* Clock.currentTimeMillis
    const response = yield* answer
    yield* Effect.logDebug("request", {
      request_id: response.headers["x-request-id"],
      method: request.method,
      ...(route === undefined ? {} : { route }),
      status: response.status,
      duration_ms: (yield* Clock.currentTimeMillis) - start
    })
    return response
  })

const millisOf = (duration: Duration.Input): number => Duration.toMillis(Duration.fromInputUnsafe(duration))

const pathOf = (url: string): string => {
  const questionMark = url.indexOf("?")
  return questionMark === -1 ? url : url.slice(0, questionMark)
}

const logsRequests = (level: LogLevel.LogLevel): boolean => level === "Debug" || level === "Trace" || level === "All"

type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** Counts the requests that were let in before draining began, and tells connections of later ones to close. */
const trackRequests = (handle: Listener, draining: () => boolean, errorDocs: App["errorDocs"]) => {
  const inFlight = new Places<ServerResponse>()
  let onIdle = (): void => {}
  const listener: Listener = (request, response) => {
    if (draining()) response.setHeader("connection", "close")
    else {
      const place = inFlight.take(response)
      response.once("close", () => {
        inFlight.leave(place)
        if (inFlight.size === 0) onIdle()
      })
    }
    const { hosts, joinedAuthorization } = inspectHeaders(request.rawHeaders)
    if (hosts > 1 || (hosts === 0 && request.httpVersion === "1.1"))
      return refuseMalformed(response, errorDocs(request.url ?? ""), "header.host", "Expected one Host header")
    if (joinedAuthorization !== undefined) request.headers.authorization = joinedAuthorization
    handle(request, response)
  }
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

/** How long refusals that are on their way out while the socket closes may take. */
const refusalMillis = 1_000
