/** A line at debug level for each request, with no more of the target than the route: the path and query that were sent may hold a secret. */
import type { App, AppAnswer } from "@gatewarden/core/effect"
import { Clock, Context, Effect, type LogLevel, References } from "effect"

const verbose: readonly LogLevel.LogLevel[] = ["Debug", "Trace", "All"]

/** Whether an app's requests are logged at all. */
export const logsRequests = ({ services }: Pick<App, "services">): boolean =>
  verbose.includes(Context.get(services, References.MinimumLogLevel))

export const logRequest = Effect.fnUntraced(function* <R>(
  method: string,
  route: string | undefined,
  answer: Effect.Effect<AppAnswer, never, R>
) {
  const start = yield* Clock.currentTimeMillis
  const answered = yield* answer
  yield* Effect.logDebug("request", {
    request_id: answered.headers["x-request-id"],
    method,
    ...(route === undefined ? {} : { route }),
    status: answered.status,
    duration_ms: (yield* Clock.currentTimeMillis) - start
  })
  return answered
})
