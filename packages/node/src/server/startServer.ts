/**
 * An instance behind a listener of its own: the socket opens when everything else is built, and closes in order.
 *
 * Source: decisions 1. Requests go to the core without a detour through fetch values.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import {
  type AppSettings,
  envelope,
  type InstanceOptions,
  routeOf,
  type Services,
  startInstance,
  type StoreHealth
} from "@gatewarden/core/effect"
import { Clock, type Context, Duration, Effect, Option, type Redacted, References, Tracer } from "effect"
import { HttpMiddleware, HttpServerRequest, type HttpServerResponse, HttpTraceContext } from "effect/http"
import { randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { exitCode } from "../exitCode.ts"
import { type Failed, failed } from "../Failed.ts"
import { inspectHeaders } from "../http/inspectHeaders.ts"
import { refuseMalformed } from "../http/refuseMalformed.ts"
import { layerPlatform } from "../platform/layerPlatform.ts"
import { answerProbe, probeAt } from "./probes.ts"

export interface ServerOptions<E, R, E2 = never> extends Omit<InstanceOptions<E, R>, "settings"> {
  readonly settings: Omit<AppSettings, "draining" | "prefix">
  readonly host: string
  /** 0 picks a free one. */
  readonly port: number
  /** How long requests in flight may go on once draining has begun. Default 25 seconds. */
  readonly drainTimeout?: Duration.Input | undefined
  /** How long a connection may be silent, both ways, before it is cut. Default 2 minutes. */
  readonly idleTimeout?: Duration.Input | undefined
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

    const app = Effect.provideContext(face(instance.app, settings), services)
    const scope = yield* Effect.scope
    const handle = yield* NodeHttpServer.makeHandler(app, { scope }).pipe(
      // Its spans carry the whole URL, and so whatever secret was put there by mistake; `face` makes ours.
      Effect.provideService(HttpMiddleware.TracerDisabledWhen, () => true)
    )
    const requests = trackRequests(handle, () => draining)
    const server = createServer(
      { keepAliveTimeout: 65_000, headersTimeout: 66_000, requestTimeout: 0 },
      requests.listener
    )
    // A stream of lines may take as long as it likes; a silent connection may not.
    server.setTimeout(Duration.toMillis(Duration.fromInputUnsafe(options.idleTimeout ?? "2 minutes")))
    server.on("clientError", refuseUnreadable)
    yield* Effect.acquireRelease(listen(server, options.host, options.port), () => close(server, 0))

    const drain = Effect.gen(function* () {
      draining = true
      const finished = yield* requests.idle.pipe(Effect.timeoutOption(options.drainTimeout ?? "25 seconds"))
      yield* close(server, Option.isSome(finished) ? refusalMillis : 0)
    })
    return { url: urlOf(server, options.host, options.settings.basePath), services, drain } satisfies RunningServer
  }).pipe(Effect.provide(layerPlatform))

/**
 * The paths of the server itself beside those of the core. Every request leaves a span, where spans go anywhere, and one line
 * at debug level. Neither has more of the target than the route: the path and query that were sent may hold a secret.
 */
const face = <R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>, settings: AppSettings) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const path = request.url.split("?", 1)[0] ?? ""
    const probe = probeAt(path, settings.draining)
    const answer: Effect.Effect<HttpServerResponse.HttpServerResponse, never, R | StoreHealth> =
      probe === undefined ? app : answerProbe(request, probe)
    const level = yield* References.MinimumLogLevel
    const isLogged = level === "Debug" || level === "Trace" || level === "All"
    const isTraced = (yield* Tracer.Tracer) !== Tracer.nativeTracer
    if (!isLogged && !isTraced) return yield* answer
    const route = probe === undefined ? routeOf(settings, request) : path
    const start = yield* Clock.currentTimeMillis
    const response = yield* isTraced ? traced(request, route, answer) : answer
    yield* Effect.logDebug("request", {
      request_id: response.headers["x-request-id"],
      method: request.method,
      ...(route === undefined ? {} : { route }),
      status: response.status,
      duration_ms: (yield* Clock.currentTimeMillis) - start
    })
    return response
  })

/** OpenTelemetry's conventions for HTTP server spans, less what repeats the request. */
const traced = <R>(
  request: HttpServerRequest.HttpServerRequest,
  route: string | undefined,
  answer: Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>
) =>
  Effect.tap(answer, ({ status }) => Effect.annotateCurrentSpan("http.response.status_code", status)).pipe(
    Effect.withSpan(route === undefined ? request.method : `${request.method} ${route}`, {
      kind: "server",
      parent: Option.getOrUndefined(HttpTraceContext.fromHeaders(request.headers)),
      attributes: { "http.request.method": request.method, ...(route === undefined ? {} : { "http.route": route }) }
    })
  )

type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** Counts the requests that were let in before draining began, and tells connections of later ones to close. */
const trackRequests = (handle: Listener, draining: () => boolean) => {
  const inFlight = new Set<ServerResponse>()
  let onIdle = (): void => {}
  const listener: Listener = (request, response) => {
    if (draining()) response.setHeader("connection", "close")
    else {
      inFlight.add(response)
      response.once("close", () => {
        inFlight.delete(response)
        if (inFlight.size === 0) onIdle()
      })
    }
    const { hosts, joinedAuthorization } = inspectHeaders(request.rawHeaders)
    if (hosts > 1) return refuseMalformed(response, "header.host", "Expected one Host header")
    if (joinedAuthorization !== undefined) request.headers.authorization = joinedAuthorization
    handle(request, response)
  }
  const idle = Effect.callback<void>((resume) => {
    onIdle = () => resume(Effect.void)
    if (inFlight.size === 0) onIdle()
  })
  return { listener, idle }
}

const listen = (server: Server, host: string, port: number): Effect.Effect<void, Failed> =>
  Effect.callback((resume) => {
    const onError = (cause: NodeJS.ErrnoException) =>
      resume(
        Effect.fail(failed(exitCode.unavailable, `Cannot listen on ${host}:${port} (${cause.code ?? cause.message})`))
      )
    server.once("error", onError)
    server.listen({ host, port }, () => {
      server.off("error", onError)
      resume(Effect.void)
    })
  })

/** How long refusals that are on their way out while the socket closes may take. */
const refusalMillis = 1_000

/** Closes idle connections at once, and the others after a while. */
const close = (server: Server, patienceMillis: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (!server.listening) return resume(Effect.void)
    const impatient = setTimeout(() => server.closeAllConnections(), patienceMillis)
    server.close(() => {
      clearTimeout(impatient)
      resume(Effect.void)
    })
    server.closeIdleConnections()
  })

const urlOf = (server: Server, host: string, basePath: string): string => {
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}${basePath}`
}

/** What Node's parser could not read as a request still gets an answer in the gateway's form. */
const refuseUnreadable = (cause: NodeJS.ErrnoException, socket: Socket): void => {
  if (cause.code === "ECONNRESET" || !socket.writable) return void socket.destroy()
  const requestId = randomUUID()
  const timedOut = cause.code === "ERR_HTTP_REQUEST_TIMEOUT"
  const issue = { path: "", code: "malformed_request", message: "The request is not valid HTTP" }
  const body = timedOut
    ? ""
    : JSON.stringify(envelope({ status: 400, reason: "invalid_header", issues: [issue] }, requestId))
  socket.end(
    `HTTP/1.1 ${timedOut ? "408 Request Timeout" : "400 Bad Request"}\r\n` +
      `content-type: application/json\r\nx-request-id: ${requestId}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`
  )
}
