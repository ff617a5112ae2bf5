/**
 * An instance as a request listener of `node:http`, for every host that is built on it: Express, Fastify, Koa, plain Node.
 *
 * Source: docs/embedding.md: mounts work with the prefix stripped or kept, the body parsed before or raw. Own code,
 * because ready-made bridges replace globals of the host, or fail once a body parser has run.
 */
import { requireOptions } from "@gatewarden/contract/internal"
import type { Gatewarden } from "@gatewarden/core"
import { defaultSettings, errorDocsFor, isPathOfOurs } from "@gatewarden/core/internal"
import type { IncomingMessage, ServerResponse } from "node:http"
import { fetchRequest, isRaw, relative } from "./fetchRequest.ts"
import { inTurn } from "./inTurn.ts"
import { inspectHeaders } from "./inspectHeaders.ts"
import { mountedTarget } from "./mountedTarget.ts"
import { answerUnexpected, refuseMalformed } from "./refuseMalformed.ts"
import { writeResponse } from "./writeAnswer.ts"

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
    const mount: Mount = { whole: String(originalUrl), left: String(url), kept: [rawBody, body].find(isRaw) ?? body }
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
  inTurn(request, response, () => {
    if (response.writableEnded || response.headersSent) return
    void answer(gatewarden, request, response, mount)
  })
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
    const target = targetOf(gatewarden, mount)
    const sent = fetchRequest(request, { target, kept: mount.kept, joinedAuthorization, signal: hungUp.signal })
    await writeResponse(request, response, await gatewarden.fetch(sent))
  } catch {
    if (response.headersSent) response.destroy()
    else answerUnexpected(response, docs())
  }
}
