/**
 * The gateway and the management API on one port: `node:http`, and nothing between it and the gateway.
 *
 * Requests may be as long and as slow as the server lets them be: what is held of bodies is counted, and a trickle is given up.
 */
import { type ErrorEnvelope, errorMessages } from "@gatewarden/contract"
import type { Gatewarden } from "@gatewarden/core"
import {
  type BodyReceiver,
  bodyReceiver,
  type BodyRefusal,
  discardRest,
  inTurn,
  refuseUnreadable,
  toNodeHandler
} from "@gatewarden/node"
import { createHash, randomUUID } from "node:crypto"
import { once } from "node:events"
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse
} from "node:http"
import type { Answer, Listener } from "./Answer.ts"
import type { Gateway } from "./Gateway.ts"

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

/** Anthropic's clients have a header of their own for it. */
const authorizationOf = ({ authorization, "x-api-key": key }: IncomingHttpHeaders): string | undefined =>
  authorization ?? (typeof key === "string" ? `Bearer ${key}` : undefined)

/** Longer than what every connection may have, or of a length that is not told. */
const isLong = ({ headers }: IncomingMessage): boolean =>
  headers["content-length"] === undefined || Number(headers["content-length"]) > 65_536

/** Whose bodies are counted together. The key itself is not kept. */
const senderOf = (authorization: string): string => createHash("sha256").update(authorization).digest("base64")

const refusalOf = (
  refusal: ReturnType<Gateway["refusal"]>,
  { status, reason, issues = [], retryAfterSeconds }: BodyRefusal,
  request_id: string
): Answer =>
  refusal(
    status,
    errorMessages[status],
    { request_id, reason, issues },
    {
      ...(retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) }),
      // What is left of such a body is not waited for.
      ...(status === 408 || status === 413 ? { connection: "close" } : {})
    }
  )

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

export interface Serving {
  /** Default: as the server, without any variables. */
  readonly bodies?: BodyReceiver
  /** Milliseconds that the headers of a request may take; default 20,000. */
  readonly headersTimeout?: number
}

export const handlerOf = (
  gatewarden: Gatewarden,
  gateway: Gateway,
  { bodies = bodyReceiver() }: Pick<Serving, "bodies"> = {}
) => {
  const manage = toNodeHandler(gatewarden)
  /** The paths of the gateway, by those that arrive. */
  const paths = new Map(gateway.paths.map((path) => [gatewarden.basePath + path, path]))

  /** What the management API says to a key that it does not let in. */
  const refusedKey = async (path: string, authorization: string): Promise<Answer | undefined> => {
    const asked = new Request(`http://localhost${gatewarden.basePath}/key`, { headers: { authorization } })
    const answered = await gatewarden.fetch(asked)
    if (answered.ok) return undefined
    // Written anew, as its address of the reason is relative to the path of the management API.
    const { error } = (await answered.json()) as ErrorEnvelope
    return gateway.refusal(path)(answered.status, error.message, { ...error.metadata })
  }

  const complete = async (path: string, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const request_id = idOf(request)
    const gone = new AbortController()
    response.once("close", () => {
      if (!response.writableFinished) gone.abort()
    })
    discardRest(request, response)
    const answer = (value: Answer) =>
      write(
        { ...value, headers: { ...openToBrowsers, "x-request-id": request_id, ...value.headers } },
        response,
        gone.signal
      )
    const { headers } = request
    const authorization = authorizationOf(headers)
    const ask = (body: string) =>
      gateway.complete({ path, headers, authorization, body, request_id, left: gone.signal })
    // Nothing is read of whoever has no key, and nothing long of whoever has none that is known.
    if (authorization === undefined) return answer(await ask(""))
    const refused = isLong(request) ? await refusedKey(path, authorization) : undefined
    if (refused !== undefined) return answer(refused)
    await bodies.receive(request, senderOf(authorization), async (received) => {
      // It left in the middle of what it said.
      if (received === undefined) return
      await answer(
        "body" in received
          ? await ask(received.body.toString("utf8"))
          : refusalOf(gateway.refusal(path), received.refusal, request_id)
      )
    })
  }

  const begin = (request: IncomingMessage, response: ServerResponse): void => {
    const { method, url = "/" } = request
    if (method === "OPTIONS" && request.headers["access-control-request-method"] !== undefined) {
      response.writeHead(204, preflight(request)).end()
      return
    }
    const path = method === "POST" ? paths.get(url.split("?", 1)[0] ?? "") : undefined
    if (path !== undefined) return void complete(path, request, response).catch(() => void response.destroy())
    for (const name in openToBrowsers) response.setHeader(name, openToBrowsers[name] ?? "")
    manage(request, response)
  }
  return (request: IncomingMessage, response: ServerResponse): void =>
    inTurn(request, response, () => begin(request, response))
}

/** Serves both on a port of this machine; 0 picks a free one. */
export const listen = async (
  gatewarden: Gatewarden,
  gateway: Gateway,
  port: number,
  host = "127.0.0.1",
  { headersTimeout = 20_000, ...serving }: Serving = {}
): Promise<Server> => {
  const server = createServer(
    {
      keepAliveTimeout: 65_000,
      headersTimeout,
      connectionsCheckingInterval: 1_000,
      // How long a body may take depends on how much of it comes.
      requestTimeout: 0
    },
    handlerOf(gatewarden, gateway, serving)
  )
  server.on("clientError", refuseUnreadable(gatewarden))
  server.listen(port, host)
  await once(server, "listening")
  return server
}
