/** Metrics on a listener of their own, which nobody else is led to. */
import { Effect } from "effect"
import { createServer } from "node:http"
import { close, listen, originOf } from "../platform/listening.ts"
import type { Metrics } from "./makeMetrics.ts"
import { metricsPath } from "./metricsPage.ts"

/** Until the scope closes. Succeeds with where they are. */
export const serveMetrics = Effect.fnUntraced(function* ({ text }: Metrics, host: string, port: number) {
  const server = createServer((request, response) => {
    request.resume()
    const isRead = request.method === "GET" || request.method === "HEAD"
    if (!isRead || request.url?.split("?", 1)[0] !== metricsPath) return void response.writeHead(404).end()
    response.writeHead(200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" }).end(text())
  })
  yield* Effect.acquireRelease(listen(server, host, port), () => close(server, 0))
  return originOf(server, host) + metricsPath
})
