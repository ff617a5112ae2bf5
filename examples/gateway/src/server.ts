/** The gateway and the management API on one port: `node:http`, and nothing between it and the gateway. */
import type { Gatewarden } from "@gatewarden/core"
import { toNodeHandler } from "@gatewarden/node"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { type Answer, type Listener, refusal } from "./Answer.ts"
import type { Gateway } from "./Gateway.ts"

const maxBody = 33_554_432
const requestIdPattern = /^[A-Za-z0-9._-]{1,128}$/

/** Keys come in a header that no browser adds by itself, so that any page may ask. */
const openToBrowsers: Readonly<Record<string, string>> = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "X-Request-Id, X-Generation-Id, Retry-After, RateLimit, RateLimit-Policy, ETag"
}

/** What a browser asks before it sends a key. */
const preflight = (request: IncomingMessage): Readonly<Record<string, string>> => ({
  ...openToBrowsers,
  "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
  // Clients bring headers of their own, such as X-Stainless-Lang and HTTP-Referer.
  "access-control-allow-headers": request.headers["access-control-request-headers"] ?? "Authorization, Content-Type",
  "access-control-max-age": "86400",
  vary: "Access-Control-Request-Headers"
})

const idOf = ({ headers }: IncomingMessage): string => {
  const sent = headers["x-request-id"]
  return typeof sent === "string" && requestIdPattern.test(sent) ? sent : randomUUID()
}

/** `undefined`: longer than is read. */
const readBody = async (request: IncomingMessage): Promise<string | undefined> => {
  if (Number(request.headers["content-length"] ?? 0) > maxBody) return undefined
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of request as AsyncIterable<Buffer>) {
    length += piece.length
    if (length > maxBody) return undefined
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString("utf8")
}

const listenerOf = (response: ServerResponse, left: AbortSignal): Listener => ({
  left,
  send: (text) => {
    if (left.aborted || response.write(text)) return undefined
    return new Promise((resolve) => {
      const go = () => {
        response.off("drain", go).off("close", go)
        resolve()
      }
      response.on("drain", go).on("close", go)
    })
  }
})

const write = async ({ status, headers, body }: Answer, response: ServerResponse, left: AbortSignal): Promise<void> => {
  if (typeof body === "string") {
    response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) }).end(body)
    return
  }
  response.writeHead(status, { ...headers })
  await body(listenerOf(response, left))
  response.end()
}

export const handlerOf = (gatewarden: Gatewarden, gateway: Gateway) => {
  const manage = toNodeHandler(gatewarden)
  const chatPath = `${gatewarden.basePath}/chat/completions`

  const complete = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const request_id = idOf(request)
    const gone = new AbortController()
    response.once("close", () => {
      if (!response.writableFinished) gone.abort()
    })
    const answer = (value: Answer) =>
      write(
        { ...value, headers: { ...openToBrowsers, "x-request-id": request_id, ...value.headers } },
        response,
        gone.signal
      )
    let body: string | undefined
    try {
      body = await readBody(request)
    } catch {
      // It left in the middle of what it said.
      return
    }
    if (body === undefined) {
      response.once("finish", () => request.destroy())
      return answer({ ...refusal(413, "Request payload too large", { request_id }, { connection: "close" }) })
    }
    const { authorization } = request.headers
    await answer(await gateway.complete({ authorization, body, request_id, left: gone.signal }))
  }

  return (request: IncomingMessage, response: ServerResponse): void => {
    const { method, url = "/" } = request
    if (method === "OPTIONS" && request.headers["access-control-request-method"] !== undefined) {
      response.writeHead(204, preflight(request)).end()
      return
    }
    if (method === "POST" && (url === chatPath || url.startsWith(`${chatPath}?`)))
      return void complete(request, response).catch(() => void response.destroy())
    for (const name in openToBrowsers) response.setHeader(name, openToBrowsers[name] ?? "")
    manage(request, response)
  }
}

/** Serves both on a port of this machine; 0 picks a free one. */
export const listen = async (
  gatewarden: Gatewarden,
  gateway: Gateway,
  port: number,
  host = "127.0.0.1"
): Promise<Server> => {
  const server = createServer({ keepAliveTimeout: 65_000 }, handlerOf(gatewarden, gateway))
  server.listen(port, host)
  await once(server, "listening")
  return server
}
