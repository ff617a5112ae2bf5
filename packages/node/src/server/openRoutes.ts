/**
 * A host's routes between the listener of the server and that of its operations, with what the server does for each of its own requests:
 * ids, ingress regions, refusals while it drains, a line of log, and a span, which metrics are read from.
 *
 * Rule: operating#host-routes.
 */
import type { Region } from "@gatewarden/contract"
import {
  ambiguousHost,
  type App,
  type AppAnswer,
  type AppRequest,
  type AppSettings,
  envelope,
  isPathOfOurs,
  OutgoingFetch,
  type Printed,
  promiseEnforcement,
  type PromiseRunner,
  promiseRunner,
  regionOf,
  requestIdPattern,
  requestSpan,
  webHandler
} from "@gatewarden/core/internal"
import { Context, Effect, Option, References, Tracer } from "effect"
import { AsyncLocalStorage } from "node:async_hooks"
import { randomUUID } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { NodeHandler } from "../http/toNodeHandler.ts"
import { answerUnexpected } from "../http/refuseMalformed.ts"
import type { HostRoutes, Served } from "./HostRoutes.ts"
import { logRequest, logsRequests } from "./logRequest.ts"

type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** How long work of a host that outlives its requests may take once they are done. */
const idleMillis = 10_000

/** What calls of the instance take from the request that they are made for. */
interface Asked {
  readonly region: Region
  readonly parent: Tracer.AnySpan | undefined
}

export interface OpenedRoutes {
  readonly listener: (next: Listener) => Listener
  readonly idle: Effect.Effect<void>
  readonly notes: Readonly<Record<string, string>>
}

export const openRoutes = (
  app: App,
  settings: AppSettings,
  hasPage: (path: string) => boolean,
  open: (served: Served) => HostRoutes
): OpenedRoutes => {
  const asked = new AsyncLocalStorage<Asked>()
  const { basePath, bodies, region: policy } = settings
  const usual = { region: policy.fixed ?? "global", docs: app.errorDocs("") } as const
  const run = promiseRunner(app.services)
  const withParent: PromiseRunner = (effect) => {
    const parent = asked.getStore()?.parent
    return run(parent === undefined ? effect : Effect.provideService(effect, Tracer.ParentSpan, parent))
  }
  const handler = webHandler(app)
  const { paths, listener, idle, notes } = open({
    gatewarden: {
      ...promiseEnforcement(withParent, () => ({ ...usual, ...asked.getStore() })),
      fetch: (request) => handler(request),
      basePath
    },
    bodies,
    outgoing: Context.get(app.services, OutgoingFetch),
    errorDocs: app.errorDocs,
    serves: (url) => hasPage(pathOf(url)) || isPathOfOurs(settings, url)
  })
  const routes = new Set(paths.map((path) => (basePath === "/" ? path : basePath + path)))
  const isTraced = Context.get(app.services, References.TracerEnabled)
  const isLogged = logsRequests(app, "Info")
  const fork = Effect.runForkWith(app.services)

  /** Answers a request of a path of the host. */
  const begin = (request: IncomingMessage, response: ServerResponse, next: () => void, parent?: Tracer.AnySpan) => {
    const { url = "/" } = request
    response.setHeader("x-request-id", idOf(request))
    const docs = app.errorDocs(url)
    if (settings.draining()) return refuse(response, { status: 503, reason: "draining" }, docs, { "retry-after": "1" })
    const region = regionOf(policy, headersOf(request))
    if (region === undefined) return refuse(response, ambiguousHost(), docs)
    const answer = () => guarded(listener, request, response, next, docs)
    // Every promise of a process costs more once there is a store.
    if (parent === undefined && region === usual.region) answer()
    else asked.run({ region, parent }, answer)
  }

  /** What becomes of a response that `answer` begins. Interrupted if it never began. */
  const answered = (response: ServerResponse, answer: () => void) =>
    Effect.callback<AppAnswer>((resume) => {
      response.once("close", () => resume(response.headersSent ? Effect.succeed(answerOf(response)) : Effect.interrupt))
      answer()
    })

  /** The same with a span and a line of log, which end with the response. */
  const watched = (request: IncomingMessage, response: ServerResponse, next: () => void, route: string) => {
    const method = request.method ?? ""
    const work = Effect.flatMap(Effect.serviceOption(Tracer.ParentSpan), (parent) =>
      answered(response, () => begin(request, response, next, Option.getOrUndefined(parent)))
    )
    const traced = isTraced ? requestSpan({ method, headers: headersOf(request) }, route, work) : work
    fork(isLogged ? logRequest("Info", method, route, traced) : traced)
  }

  /** Offers the host a request of no path that it declared. It has a line here if the host answers it; otherwise the server writes it. */
  const offered = (request: IncomingMessage, response: ServerResponse, pass: Listener) => {
    let isPassed = false
    const next = () => {
      isPassed = true
      pass(request, response)
    }
    guarded(listener, request, response, next, app.errorDocs(request.url ?? ""))
    if (!isPassed && isLogged && !response.closed)
      fork(
        logRequest(
          "Info",
          request.method ?? "",
          undefined,
          answered(response, () => {})
        )
      )
  }

  return {
    listener: (pass) => (request, response) => {
      const next = () => pass(request, response)
      const path = pathOf(request.url ?? "/")
      if (request.method !== "POST" || !routes.has(path)) return offered(request, response, pass)
      if (isTraced || isLogged) watched(request, response, next, path)
      else begin(request, response, next)
    },
    // A finalizer is not interrupted, so it is no race of effects.
    idle: Effect.callback((resume) => {
      const done = () => {
        clearTimeout(timer)
        resume(Effect.void)
      }
      const timer = setTimeout(done, idleMillis)
      void (async () => idle?.())().then(done, done)
    }),
    notes: notes ?? {}
  }
}

/** A host that throws fails one request, and not the process. */
const guarded = (
  listener: NodeHandler,
  request: IncomingMessage,
  response: ServerResponse,
  next: () => void,
  docs: string
): void => {
  try {
    listener(request, response, next)
  } catch {
    if (response.headersSent) response.destroy()
    else answerUnexpected(response, docs)
  }
}

const pathOf = (url: string): string => url.split("?", 1)[0] ?? url

const headersOf = ({ headers }: IncomingMessage) => headers as AppRequest["headers"]

const idOf = ({ headers }: IncomingMessage): string => {
  const sent = headers["x-request-id"]
  return typeof sent === "string" && requestIdPattern.test(sent) ? sent : randomUUID()
}

const requestIdOf = (response: ServerResponse): string => String(response.getHeader("x-request-id"))

const answerOf = (response: ServerResponse): AppAnswer => ({
  status: response.statusCode,
  headers: { "x-request-id": requestIdOf(response) },
  body: undefined
})

const refuse = (
  response: ServerResponse,
  refused: Printed,
  docs: string,
  headers: Record<string, string> = {}
): void => {
  const body = JSON.stringify(envelope(refused, requestIdOf(response), docs))
  response
    .writeHead(refused.status, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      "cache-control": "no-store",
      ...headers
    })
    .end(body)
}
