/**
 * The server's own paths, outside the base path and without credentials: whether the process lives, whether it can serve,
 * and its pages.
 *
 * Rule: operating#probes.
 */
import {
  BackgroundJobs,
  DeliveryQueue,
  Entropy,
  StoreHealth,
  type App,
  type AppAnswer,
  type AppRequest,
  type DeliveryHealth,
  deliveryHealth,
  envelope,
  type JobHealth,
  jobHealth,
  type Printed,
  requestIdPattern
} from "@gatewarden/core/internal"
import { Effect } from "effect"
import type { ServerPage } from "../platform/ServerPage.ts"

/** A store that needs longer than this to answer the smallest question does not answer. */
const pingTimeout = "5 seconds"

const requestIdOf = (request: AppRequest) => {
  const sent = request.headers["x-request-id"]
  return sent !== undefined && requestIdPattern.test(sent)
    ? Effect.succeed(sent)
    : Effect.map(Entropy, (entropy) => entropy.uuid())
}

const notReady = (reason: "draining" | "store_unavailable"): Printed => ({ status: 503, reason })

const readiness = (draining: () => boolean) =>
  Effect.suspend(() => {
    if (draining()) return Effect.succeed(notReady("draining"))
    return Effect.flatMap(StoreHealth, (health) => health.ping).pipe(
      Effect.as(undefined),
      Effect.timeoutOrElse({ duration: pingTimeout, orElse: () => Effect.succeed(notReady("store_unavailable")) }),
      Effect.catchCause(() => Effect.succeed(notReady("store_unavailable")))
    )
  })

/** The check that a path stands for, undefined when the path is none of the server's own. */
export const probeAt = (
  path: string,
  draining: () => boolean
): Effect.Effect<Printed | undefined, never, StoreHealth> | undefined => {
  if (path === "/livez") return Effect.succeed(undefined)
  return path === "/readyz" ? readiness(draining) : undefined
}

const refuse = (printed: Printed, requestId: string, docs: string, headers: Record<string, string>): AppAnswer => ({
  status: printed.status,
  headers: { "x-request-id": requestId, "cache-control": "no-store", ...headers },
  body: JSON.stringify(envelope(printed, requestId, docs))
})

/** How background work is doing, for `readyz?verbose`; nothing of it makes a server unready. */
const background: Effect.Effect<readonly JobHealth[], never, BackgroundJobs> = Effect.flatMap(
  BackgroundJobs,
  ({ states }) => states
).pipe(
  Effect.map(({ now, jobs }) => jobHealth(now, jobs)),
  Effect.timeoutOrElse({ duration: pingTimeout, orElse: () => Effect.succeed([]) }),
  Effect.catchCause(() => Effect.succeed([]))
)

/** What waits for destinations; null where the store does not tell in time. */
const deliveries: Effect.Effect<DeliveryHealth | null, never, DeliveryQueue> = Effect.flatMap(
  DeliveryQueue,
  ({ backlog }) => backlog
).pipe(
  Effect.map((backlog): DeliveryHealth | null => deliveryHealth(backlog)),
  Effect.timeoutOrElse({ duration: pingTimeout, orElse: () => Effect.succeed(null) }),
  Effect.catchCause(() => Effect.succeed(null))
)

const isVerbose = ({ url }: AppRequest): boolean => /^\/readyz\?(?:[^#]*&)?verbose(?:[=&]|$)/.test(url)

const isRead = ({ method }: AppRequest): boolean => method === "GET" || method === "HEAD"

const wrongMethod = (requestId: string, docs: string) =>
  refuse({ status: 405, reason: "method_not_allowed" }, requestId, docs, { allow: "GET, HEAD" })

export const answerProbe = Effect.fnUntraced(function* (
  request: AppRequest,
  probe: Effect.Effect<Printed | undefined, never, StoreHealth>,
  errorDocs: App["errorDocs"]
): Effect.fn.Return<AppAnswer, never, StoreHealth | BackgroundJobs | DeliveryQueue> {
  const requestId = yield* requestIdOf(request)
  if (!isRead(request)) return wrongMethod(requestId, errorDocs(request.url))
  const problem = yield* probe
  return problem === undefined
    ? {
        status: 200,
        headers: { "x-request-id": requestId, "cache-control": "no-store" },
        body: JSON.stringify({
          status: "ok",
          ...(isVerbose(request) ? { background: yield* background, deliveries: yield* deliveries } : {})
        })
      }
    : refuse(problem, requestId, errorDocs(request.url), { "retry-after": "1" })
})

/** The app answers when there is no such page after all. */
export const answerPage = Effect.fnUntraced(function* (request: AppRequest, page: ServerPage, app: App) {
  const found = yield* page(request)
  if (found === undefined) return yield* app.answer(request)
  const requestId = yield* requestIdOf(request)
  return isRead(request)
    ? { ...found, headers: { ...found.headers, "x-request-id": requestId } }
    : wrongMethod(requestId, app.errorDocs(request.url))
})
