/** When a server's socket opens and closes. */
import { Effect, Schedule } from "effect"
import type { Server } from "node:http"
import { type Failed, failed } from "../failure/Failed.ts"

/** Connections that may wait to be accepted, as many as Linux allows by default: beyond them each waits for seconds before it asks again. */
const backlog = 4_096

/** Fails with exit code 69 when the address cannot be had. */
export const listen = (server: Server, host: string, port: number): Effect.Effect<void, Failed> =>
  Effect.callback((resume) => {
    const onError = (cause: NodeJS.ErrnoException) =>
      resume(Effect.fail(failed("address", `Cannot listen on ${host}:${port} (${cause.code ?? cause.message})`)))
    server.once("error", onError)
    server.listen({ host, port, backlog }, () => {
      server.off("error", onError)
      resume(Effect.void)
    })
  })

/** Completes when no connection is open. */
export const whileConnected = (server: Server): Effect.Effect<void> =>
  Effect.callback<number>((resume) => {
    server.getConnections((cause, count) => resume(Effect.succeed(cause === null ? count : 0)))
  }).pipe(Effect.repeat({ until: (count) => count === 0, schedule: Schedule.spaced("20 millis") }), Effect.asVoid)

/** Closes idle connections at once, and the others after a while. */
export const close = (server: Server, patienceMillis: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (!server.listening) return resume(Effect.void)
    const impatient = setTimeout(() => server.closeAllConnections(), patienceMillis)
    server.close(() => {
      clearTimeout(impatient)
      resume(Effect.void)
    })
    server.closeIdleConnections()
  })

/** Where a server listens, as the start of a URL. */
export const originOf = (server: Server, host: string): string => {
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`
}
