/**
 * An instance as the exports of a Next route file: `export const { GET, POST, … } = toNextHandlers(gatewarden)`.
 *
 * Source: docs/embedding.md. Next hands on a second argument, the parameters of the route, which is not for us.
 */
import type { Gatewarden } from "./createGatewarden.ts"

/** One handler for each method that a route file may export; Next itself answers any other. */
export type NextHandlers = Readonly<
  Record<"GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS", (request: Request) => Promise<Response>>
>

/**
 * `next build` loads route files: give a function that makes, or finds, the instance, and no store is opened before the first
 * request. The function is called for every request and must answer the same instance; when it rejects, so does the handler.
 */
export const toNextHandlers = (
  gatewarden: Pick<Gatewarden, "fetch"> | (() => Pick<Gatewarden, "fetch"> | Promise<Pick<Gatewarden, "fetch">>)
): NextHandlers => {
  const handle = async (request: Request): Promise<Response> =>
    (await (typeof gatewarden === "function" ? gatewarden() : gatewarden)).fetch(request)
  return { GET: handle, HEAD: handle, POST: handle, PUT: handle, PATCH: handle, DELETE: handle, OPTIONS: handle }
}
