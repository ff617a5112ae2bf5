/**
 * An instance as a Fastify plugin: `app.register(gatewardenFastify, { gatewarden, prefix: "/api/v1" })`.
 *
 * Fastify judges bodies before a route sees them, and answers what it does not like in its own form. The plugin therefore has
 * a scope of its own in which nothing is parsed; the host's other routes keep their parsers. Hooks of the host run as ever, and
 * headers that they set (CORS) are on the answer. Fastify's types are only described here, so that nobody has to install it.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { answerMounted, type Mounted, requireInstance } from "./http/toNodeHandler.ts"

/** What the plugin uses of a Fastify request. */
export interface FastifyRequestLike {
  readonly raw: IncomingMessage
  readonly body?: unknown
}

/** What the plugin uses of a Fastify reply. */
export interface FastifyReplyLike {
  readonly raw: ServerResponse
  hijack(): unknown
  getHeaders(): Record<string, number | string | string[] | undefined>
}

/** What the plugin uses of a Fastify instance. */
export interface FastifyScope {
  readonly prefix: string
  removeAllContentTypeParsers(): unknown
  addContentTypeParser(
    type: string,
    parser: (
      request: FastifyRequestLike,
      payload: IncomingMessage,
      done: (error: Error | null, body?: unknown) => void
    ) => void
  ): unknown
  setErrorHandler(
    handler: (error: Error & { readonly code?: string }, request: FastifyRequestLike, reply: FastifyReplyLike) => void
  ): unknown
  all(path: string, handler: (request: FastifyRequestLike, reply: FastifyReplyLike) => void): unknown
}

/** What `app.register` is given beside `prefix`. */
export interface GatewardenFastifyOptions {
  /** The instance, awaited. */
  readonly gatewarden: Mounted
}

/**
 * Serves an instance as a Fastify plugin: every request below `prefix` is Gatewarden's. Body parsers of the host do not run there.
 *
 * @param scope the Fastify instance, passed by `app.register`
 * @param options `gatewarden`: the instance; `app.register` also takes `prefix`
 * @returns when the routes are registered
 * @throws TypeError for what is no instance
 * @example
 * await app.register(gatewardenFastify, { gatewarden, prefix: "/api/v1" })
 */
export const gatewardenFastify = async (scope: FastifyScope, options: GatewardenFastifyOptions): Promise<void> => {
  const { gatewarden } = options
  requireInstance("gatewardenFastify", gatewarden)
  const taken = scope.prefix.split("/").length - 1
  const handOver = ({ raw, body }: FastifyRequestLike, reply: FastifyReplyLike): void => {
    reply.hijack()
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined) reply.raw.setHeader(name, value)
    const whole = raw.url ?? "/"
    answerMounted(gatewarden, raw, reply.raw, { whole, left: withoutSegments(whole, taken), kept: body })
  }
  scope.removeAllContentTypeParsers()
  // A hook of the host may have put another stream in place of the body, decompressed for one.
  scope.addContentTypeParser("*", (_request, payload, done) => done(null, payload))
  scope.setErrorHandler((error, request, reply) => {
    // A media type that Fastify cannot read is refused in Gatewarden's form; errors of the host are the host's.
    if (error.code?.startsWith("FST_ERR_CTP_") !== true) throw error
    handOver(request, reply)
  })
  scope.all("/", handOver)
  scope.all("/*", handOver)
}

/** What is left of a target without the segments of a prefix, which may hold parameters. */
const withoutSegments = (target: string, count: number): string => {
  const [path = ""] = target.split("?", 1)
  return `/${path
    .split("/")
    .slice(count + 1)
    .join("/")}${target.slice(path.length)}`
}
