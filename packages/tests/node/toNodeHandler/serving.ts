/** Servers of handlers, and how they are asked. */
import { createGatewarden, memory } from "@gatewarden/core"
import { Effect } from "effect"
import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { type HostRequest, toNodeHandler } from "../../../node/src/index.ts"

export const managementKey = "node-handler-management-key-0123456789"
export const authorization = `Bearer ${managementKey}`

/** An instance for as long as the scope lives. */
export const instance = Effect.acquireRelease(
  Effect.promise(() => createGatewarden({ store: memory(), managementKey })),
  ({ close }) => Effect.promise(close)
)

/** A server of a listener, for as long as the scope lives; answers its port. */
export const serve = (listener: RequestListener) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer(listener).listen(0, "127.0.0.1")
      await once(server, "listening")
      return server
    }),
    (server) =>
      Effect.promise(async () => {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      })
  ).pipe(Effect.map((server) => (server.address() as AddressInfo).port))

/** An instance behind a plain server; answers its port. */
export const bare = Effect.flatMap(instance, (gatewarden) => serve(toNodeHandler(gatewarden)))

/** Something else in place of an instance. */
export const answering = (answer: (request: Request) => Promise<Response>) => serve(toNodeHandler({ fetch: answer }))

/** What the gateway is asked, as it would see it. */
export const echo = (
  extend: (request: HostRequest) => void = () => {},
  parse?: (raw: Buffer, request: { body?: unknown; rawBody?: unknown }) => void
) => {
  const handler = toNodeHandler({
    fetch: async (request) =>
      Response.json({
        method: request.method,
        url: request.url,
        headers: Object.fromEntries(request.headers),
        body: await request.text()
      })
  })
  return serve(async (request, response) => {
    extend(request)
    if (parse !== undefined) {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      parse(Buffer.concat(chunks), request as { body?: unknown })
    }
    handler(request, response)
  })
}

export interface Echoed {
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string
}

export const post = (port: number, body: string, headers: Record<string, string> = {}) =>
  Effect.promise(async () => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/guardrails`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json", ...headers },
      body
    })
    return {
      status: response.status,
      json: (await response.json()) as Echoed & { readonly data: Record<string, unknown> }
    }
  })

export const get = (port: number, path: string, init: RequestInit = {}) =>
  Effect.promise(() =>
    fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers: { authorization, ...init.headers } })
  )

export const reasonOf = (json: unknown): string =>
  (json as { error: { metadata: { reason: string } } }).error.metadata.reason
