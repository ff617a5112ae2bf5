/**
 * Serves an instance as the exports of a Next route file: `export const { GET, POST, … } = toNextHandlers(gatewarden)`.
 *
 * Source: docs/embedding.md. Next passes a second argument, the parameters of the route, which is ignored.
 */
import type { Gatewarden } from "./createGatewarden.ts"

/** One handler for each method that a route file may export; Next itself answers any other. */
export type NextHandlers = Readonly<
  Record<"GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS", (request: Request) => Promise<Response>>
>

/**
 * Serves an instance as the handlers of a Next route file, such as `app/api/v1/[...path]/route.ts`. `next build` loads route files: pass a
 * function, and no store is opened before the first request.
 *
 * @param gatewarden an instance, or a function that returns the same instance at every request
 * @returns one handler for each method that a route file may export
 * @throws nothing; a handler rejects with what the function rejects with
 * @example
 * const { GET, POST, PATCH, PUT, DELETE } = toNextHandlers(() => gatewarden)
 */
export const toNextHandlers = (
  gatewarden: Pick<Gatewarden, "fetch"> | (() => Pick<Gatewarden, "fetch"> | Promise<Pick<Gatewarden, "fetch">>)
): NextHandlers => {
  const handle = async (request: Request): Promise<Response> =>
    (await (typeof gatewarden === "function" ? gatewarden() : gatewarden)).fetch(request)
  return { GET: handle, HEAD: handle, POST: handle, PUT: handle, PATCH: handle, DELETE: handle, OPTIONS: handle }
}
