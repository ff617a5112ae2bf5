import type { IncomingMessage } from "node:http"

/** Per process, as requests are: whoever holds the one may have the other. */
const origins = new WeakMap<Request, IncomingMessage>()

export const rememberOrigin = (request: Request, origin: IncomingMessage): void => void origins.set(request, origin)

/**
 * Finds the Node request that `toNodeHandler` made a `Request` of, with what the host's middleware put there, such as the user of a session.
 *
 * @param request what `authenticate` is given
 * @returns the Node request; `undefined` for a request that came another way
 * @throws nothing
 * @example
 * const cookie = nodeRequestOf(request)?.headers.cookie
 */
export const nodeRequestOf = (request: Request): IncomingMessage | undefined => origins.get(request)
