import type { IncomingMessage } from "node:http"

/** Per process, as requests are: whoever holds the one may have the other. */
const origins = new WeakMap<Request, IncomingMessage>()

export const rememberOrigin = (request: Request, origin: IncomingMessage): void => void origins.set(request, origin)

/**
 * The Node request that `toNodeHandler` made a `Request` of, with what the host's middleware put there: in `authenticate`,
 * `nodeRequestOf(request)` has the user of an Express session. Undefined for a request that came another way.
 */
export const nodeRequestOf = (request: Request): IncomingMessage | undefined => origins.get(request)
