/**
 * An instance as a request listener of `node:http`, for every host that is built on it: Express, Fastify, Koa, plain Node.
 *
 * Source: architecture, Two doors: mounts work with the prefix stripped or kept, the body parsed before or raw. Own code,
 * because ready-made bridges replace globals of the host, or fail once a body parser has run.
 */
import type { Gatewarden } from "@gatewarden/core"
import type { IncomingMessage, ServerResponse } from "node:http"
import { inspectHeaders } from "./http/inspectHeaders.ts"
import { answerUnexpected, refuseMalformed } from "./http/refuseMalformed.ts"

/** What a host may have added to a request. */
export interface HostRequest extends IncomingMessage {
  /** The target before a mount took its prefix away (Express, Koa). */
  readonly originalUrl?: string
  /** What a body parser made of the body; looked at only when the body cannot be read any more. */
  readonly body?: unknown
  /** The bytes that a body parser kept. */
  readonly rawBody?: unknown
}

/** `next` is never called: every request is answered. */
export type NodeHandler = (request: HostRequest, response: ServerResponse, next?: (error?: unknown) => void) => void

/**
 * `http.createServer(toNodeHandler(gatewarden))`, or `app.use("/api/v1", toNodeHandler(gatewarden))`.
 *
 * Every request is answered, in the gateway's own form even where it was malformed. When the client hangs up, the
 * operation is told.
 */
export const toNodeHandler = (gatewarden: Pick<Gatewarden, "fetch">): NodeHandler => {
  return (request, response) => {
    if (response.writableEnded || response.headersSent) return
    void answer(gatewarden, request, response)
  }
}

const answer = async (
  gatewarden: Pick<Gatewarden, "fetch">,
  request: HostRequest,
  response: ServerResponse
): Promise<void> => {
  const hungUp = new AbortController()
  response.once("close", () => {
    if (!response.writableFinished) hungUp.abort()
  })
  try {
    const { hosts, joinedAuthorization } = inspectHeaders(request.rawHeaders)
    if (hosts > 1) return refuseMalformed(response, "header.host", "Expected one Host header")
    const headers = headersOf(request, joinedAuthorization)
    const body = bodyOf(request, headers)
    const method = request.method ?? "GET"
    const sent = new Request(targetOf(request, headers), {
      // The fetch standard has no such requests; under another name they get the answer of any unknown method.
      method: /^(?:CONNECT|TRACE|TRACK)$/i.test(method) ? `X-${method}` : method,
      headers,
      signal: hungUp.signal,
      ...(body === undefined || method === "GET" || method === "HEAD" ? {} : { body, duplex: "half" as const })
    })
    await write(request, response, await gatewarden.fetch(sent))
  } catch {
    if (response.headersSent) response.destroy()
    else answerUnexpected(response)
  }
}

const headersOf = (request: IncomingMessage, joinedAuthorization: string | undefined): Headers => {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    // HTTP/2 has pseudo-headers, which are no header names here.
    if (value === undefined || name.startsWith(":")) continue
    for (const one of Array.isArray(value) ? value : [value]) headers.append(name, one)
  }
  const authority = request.headers[":authority"]
  if (typeof authority === "string") headers.set("host", authority)
  if (joinedAuthorization !== undefined) headers.set("authorization", joinedAuthorization)
  return headers
}

/** A path that a URL parser would read as another one: dot segments, backslashes, a fragment. */
const rewritten = /(?:^|\/)(?:\.|%2e){1,2}(?=\/|$)|[\\#]/i

/** Where the request goes. What the URL standard would silently turn into another path names nothing. */
const targetOf = (request: HostRequest, headers: Headers): string => {
  const target = request.originalUrl ?? request.url ?? "/"
  const origin = originOf(headers.get("host"))
  // An absolute target (RFC 9112 3.2.2) counts without its authority: the gateway serves any.
  const relative = target.replace(/^https?:\/\/[^/?#]*/i, "")
  const path = relative.split("?", 1)[0] ?? ""
  if (!path.startsWith("/") || rewritten.test(path)) return `${origin}/`
  return URL.canParse(origin + relative) ? origin + relative : `${origin}/`
}

const originOf = (host: string | null): string =>
  host !== null &&
  /^[A-Za-z0-9._-]+(?::\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](?::\d{1,5})?$/.test(host) &&
  URL.canParse(`http://${host}`)
    ? `http://${host}`
    : "http://localhost"

const bodyOf = (
  request: HostRequest,
  headers: Headers
): ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | undefined => {
  const sent = headers.has("transfer-encoding") || Number(headers.get("content-length") ?? 0) > 0
  if (!request.readableDidRead && !request.readableEnded) return sent ? streamOf(request) : undefined
  const kept = parsedBody(request)
  if (kept === undefined) return undefined
  const bytes = new Uint8Array(Buffer.isBuffer(kept) || kept instanceof Uint8Array ? kept : Buffer.from(kept))
  // The parser undid these; what is passed on has its own length.
  for (const name of ["content-encoding", "transfer-encoding"]) headers.delete(name)
  headers.set("content-length", String(bytes.length))
  return bytes
}

const parsedBody = ({ body, rawBody }: HostRequest): string | Uint8Array | undefined => {
  for (const kept of [rawBody, body]) if (typeof kept === "string" || kept instanceof Uint8Array) return kept
  return body === undefined ? undefined : JSON.stringify(body)
}

/** The bytes of a request as they are asked for: nothing is read before the first pull, and never ahead. */
const streamOf = (request: IncomingMessage): ReadableStream<Uint8Array> => {
  const chunks = request.iterator({ destroyOnReturn: false })
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const chunk: IteratorResult<Uint8Array> = await chunks.next()
        if (chunk.done === true) controller.close()
        else controller.enqueue(chunk.value)
      },
      cancel: async () => {
        await chunks.return?.()
        request.resume()
      }
    },
    { highWaterMark: 0 }
  )
}

const write = async (request: IncomingMessage, response: ServerResponse, answered: Response): Promise<void> => {
  if (response.destroyed) return void answered.body?.cancel()
  response.statusCode = answered.status
  if (answered.statusText !== "") response.statusMessage = answered.statusText
  for (const [name, value] of answered.headers) if (name !== "set-cookie") response.setHeader(name, value)
  const cookies = answered.headers.getSetCookie()
  if (cookies.length > 0) response.setHeader("set-cookie", cookies)
  // What is left of a body that nobody wants must not stand before the next request of the connection.
  response.once("finish", () => {
    if (!request.complete) request.resume()
  })
  if (request.method === "HEAD" || answered.body === null) {
    await answered.body?.cancel()
    response.end()
    return
  }
  const reader = answered.body.getReader()
  const stop = () => void reader.cancel().catch(() => {})
  response.once("close", stop)
  for (;;) {
    const { done, value } = await reader.read()
    if (done || response.destroyed) break
    if (!response.write(value)) await drained(response)
  }
  response.off("close", stop)
  response.end()
}

const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      response.off("drain", done)
      response.off("close", done)
      resolve()
    }
    response.on("drain", done)
    response.on("close", done)
  })
