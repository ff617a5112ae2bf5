/** A line of log for each request, with no more of the target than the route: the path and query that were sent may hold a secret. */
import type { App, AppAnswer } from "@gatewarden/core/internal"
import { Clock, Context, Effect, type LogLevel, References } from "effect"

/** The level of the lines: a gateway writes them unless it is told otherwise, a server if it is told to. Rule: operating#lines-of-requests. */
export type RequestLevel = "Info" | "Debug"

const verbose: readonly LogLevel.LogLevel[] = ["Debug", "Trace", "All"]
const writing: Readonly<Record<RequestLevel, readonly LogLevel.LogLevel[]>> = {
  Debug: verbose,
  Info: ["Info", ...verbose]
}

/** Whether lines of a level are written at all. */
export const logsRequests = ({ services }: Pick<App, "services">, level: RequestLevel): boolean =>
  writing[level].includes(Context.get(services, References.MinimumLogLevel))

export const logRequest = Effect.fnUntraced(function* <R>(
  level: RequestLevel,
  method: string,
  route: string | undefined,
  answer: Effect.Effect<AppAnswer, never, R>
) {
  const start = yield* Clock.currentTimeMillis
  const answered = yield* answer
  yield* Effect.logWithLevel(level)("request", {
    request_id: answered.headers["x-request-id"],
    method,
    ...(route === undefined ? {} : { route }),
    status: answered.status,
    duration_ms: (yield* Clock.currentTimeMillis) - start
  })
  return answered
})
