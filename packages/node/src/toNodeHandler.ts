/**
 * An instance as a request listener of `node:http`, for every host that is built on it: Express, Fastify, Koa, plain Node.
 *
 * Source: docs/embedding.md: mounts work with the prefix stripped or kept, the body parsed before or raw. Own code,
 * because ready-made bridges replace globals of the host, or fail once a body parser has run.
 */
import { requireOptions } from "@gatewarden/contract"
import type { Gatewarden } from "@gatewarden/core"
import { defaultSettings, errorDocsFor, isPathOfOurs } from "@gatewarden/core/effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { Readable } from "node:stream"
import { inspectHeaders } from "./http/inspectHeaders.ts"
import { mountedTarget } from "./http/mountedTarget.ts"
import { answerUnexpected, refuseMalformed } from "./http/refuseMalformed.ts"
import { rememberOrigin } from "./http/nodeRequestOf.ts"

/** What a handler needs of an instance. Without a `basePath` it is the default one. */
export type Mounted = Pick<Gatewarden, "fetch"> & Partial<Pick<Gatewarden, "basePath">>

/** What a host may have added to a request. */
export interface HostRequest extends IncomingMessage {
  /** The target before a mount took its prefix away (Express, Koa). */
  readonly originalUrl?: string
  /** What a body parser made of the body; looked at only when the body cannot be read any more. */
  readonly body?: unknown
  /** The bytes that a body parser kept. */
  readonly rawBody?: unknown
}

/** `next` is called for what falls through, and for nothing else: no error of ours is the host's to answer. */
export type NodeHandler = (request: HostRequest, response: ServerResponse, next?: (error?: unknown) => void) => void

/** How a handler shares a server with what else the host serves. */
export interface NodeHandlerOptions {
  /**
   * `true` leaves paths that are no operation's to what the host has behind the handler. Then the base path must be there, in
   * the target or in the mount. Default: every request is answered, an unknown path with 404.
   */
  readonly fallthrough?: boolean
}

/**
 * Serves an instance as a listener of `node:http`, or as middleware of Express, Koa and other frameworks on it. A mount may keep or strip the
 * base path. Every request is answered, a malformed one too; a client that hangs up interrupts its operation.
 *
 * @param gatewarden the instance, awaited
 * @param options see [NodeHandlerOptions](#nodehandleroptions)
 * @returns a listener; `next` is called for paths that fall through, never with an error
 * @throws TypeError for what is no instance, and for an option that does not exist
 * @example
 * const server = createServer(toNodeHandler(gatewarden))
 */
export const toNodeHandler = (gatewarden: Mounted, options: NodeHandlerOptions = {}): NodeHandler => {
  requireInstance("toNodeHandler", gatewarden)
  requireOptions<NodeHandlerOptions>("toNodeHandler", options, { fallthrough: true })
  const { fallthrough = false } = options
  return (request, response, next) => {
    const { url = "/", originalUrl = url, body, rawBody } = request
    const mount: Mount = { whole: originalUrl, left: url, kept: [rawBody, body].find(isRaw) ?? body }
    if (fallthrough && next !== undefined && !isOurs(gatewarden, mount)) return next()
    answerMounted(gatewarden, request, response, mount)
  }
}

/** A promise that was not awaited has no `fetch`: said when it is mounted, not by every request. */
export const requireInstance = (who: string, gatewarden: Mounted): void => {
  if (typeof (gatewarden as Mounted | undefined)?.fetch !== "function")
    throw new TypeError(`${who}: expected an instance; createGatewarden returns a promise, so await it`)
}

const isOurs = (gatewarden: Mounted, mount: Mount): boolean => {
  const prefix = relative(mount.whole) === relative(mount.left) ? "kept" : "either"
  return isPathOfOurs({ basePath: basePathOf(gatewarden), prefix }, targetOf(gatewarden, mount))
}

const basePathOf = ({ basePath }: Mounted): string => basePath ?? defaultSettings.basePath

const targetOf = (gatewarden: Mounted, { whole, left }: Mount): string =>
  mountedTarget(basePathOf(gatewarden), relative(whole), relative(left))

const isRaw = (kept: unknown): kept is string | Uint8Array => typeof kept === "string" || kept instanceof Uint8Array

/** What a host knows of a request beside the request itself. */
export interface Mount {
  /** The target as it was sent. */
  readonly whole: string
  /** What the mount left of it. */
  readonly left: string
  /** What a parser kept of the body: text, bytes, another stream, or the value it read. */
  readonly kept: unknown
}

export const answerMounted = (
  gatewarden: Mounted,
  request: IncomingMessage,
  response: ServerResponse,
  mount: Mount
): void => {
  if (response.writableEnded || response.headersSent) return
  void answer(gatewarden, request, response, mount)
}

const answer = async (
  gatewarden: Mounted,
  request: IncomingMessage,
  response: ServerResponse,
  mount: Mount
): Promise<void> => {
  const hungUp = new AbortController()
  response.once("close", () => {
    if (!response.writableFinished) hungUp.abort()
  })
  const docs = () => errorDocsFor({ basePath: basePathOf(gatewarden), prefix: "either" }, targetOf(gatewarden, mount))
  try {
    const { hosts, joinedAuthorization } = inspectHeaders(request.rawHeaders)
    if (hosts > 1) return refuseMalformed(response, docs(), "header.host", "Expected one Host header")
    const headers = headersOf(request, joinedAuthorization)
    const body = bodyOf(request, headers, mount.kept)
    const method = request.method ?? "GET"
    const sent = new Request(urlOf(targetOf(gatewarden, mount), headers), {
      // The fetch standard has no such requests; under another name they get the answer of any unknown method.
      method: /^(?:CONNECT|TRACE|TRACK)$/i.test(method) ? `X-${method}` : method,
      headers,
      signal: hungUp.signal,
      ...(body === undefined || method === "GET" || method === "HEAD" ? {} : { body, duplex: "half" as const })
    })
    rememberOrigin(sent, request)
    await write(request, response, await gatewarden.fetch(sent))
  } catch {
    if (response.headersSent) response.destroy()
    else answerUnexpected(response, docs())
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

/** An absolute target (RFC 9112 3.2.2) counts without its authority: the gateway serves any. */
const relative = (target: string): string => target.replace(/^https?:\/\/[^/?#]*/i, "")

/** Where the request goes. What the URL standard would silently turn into another path names nothing. */
const urlOf = (target: string, headers: Headers): string => {
  const origin = originOf(headers.get("host"))
  const path = target.split("?", 1)[0] ?? ""
  if (!path.startsWith("/") || rewritten.test(path)) return `${origin}/`
  return URL.canParse(origin + target) ? origin + target : `${origin}/`
}

const originOf = (host: string | null): string =>
  host !== null &&
  /^[A-Za-z0-9._-]+(?::\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](?::\d{1,5})?$/.test(host) &&
  URL.canParse(`http://${host}`)
    ? `http://${host}`
    : "http://localhost"

const bodyOf = (
  request: IncomingMessage,
  headers: Headers,
  kept: unknown
): ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | undefined => {
  if (!isSent(request, headers)) return undefined
  if (!request.readableDidRead && !request.readableEnded) return streamOf(request)
  if (kept === undefined) return undefined
  // What undid these has a length of its own.
  for (const name of ["content-encoding", "transfer-encoding", "content-length"]) headers.delete(name)
  if (kept instanceof Readable) {
    headers.set("transfer-encoding", "chunked")
    return streamOf(kept)
  }
  const bytes = new Uint8Array(Buffer.from(isRaw(kept) ? kept : JSON.stringify(kept)))
  headers.set("content-length", String(bytes.length))
  return bytes
}

/** Parsers leave an empty object where there was no body, so what was sent is asked. HTTP/2 needs to announce no length. */
const isSent = (request: IncomingMessage, headers: Headers): boolean =>
  headers.has("transfer-encoding") ||
  Number(headers.get("content-length") ?? 0) > 0 ||
  (request.httpVersionMajor > 1 && !headers.has("content-length") && !request.complete)

/** The bytes of a body as they are asked for: nothing is read before the first pull, and never ahead. */
const streamOf = (body: Readable): ReadableStream<Uint8Array> => {
  const chunks = body.iterator({ destroyOnReturn: false })
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const chunk: IteratorResult<Uint8Array> = await chunks.next()
        if (chunk.done === true) controller.close()
        else controller.enqueue(chunk.value)
      },
      cancel: async () => {
        await chunks.return?.()
        body.resume()
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
