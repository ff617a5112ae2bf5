/** `gatewarden serve` for a host that answers further paths on the same port. */
import { requireOptions } from "@gatewarden/contract/internal"
import type { HostRoutes, Served, Started } from "../server/HostRoutes.ts"

/** What `serveGatewarden` is given. */
export interface ServeOptions {
  /**
   * Makes the host's routes. Called once, before the server listens.
   *
   * @param served the server's instance
   * @returns the host's routes
   * @throws what ends the start
   * @example
   * const routes = ({ gatewarden }: Served): HostRoutes => ({ paths: ["/hello"], listener: (request, response) => response.end("Hello") })
   */
  readonly routes: (served: Served) => HostRoutes
  /**
   * A catalog as `PUT /gateway/catalog` takes it, of which the models are put that the store does not have. What the variable
   * `GATEWARDEN_CATALOG` names is put in any case.
   */
  readonly catalog?: string
  /**
   * Makes what a terminal shows once the server listens, in place of the server's own text.
   *
   * @param started where the server is
   * @returns text of whole lines
   * @throws nothing
   * @example
   * const banner = ({ url }: Started) => `The gateway is at ${url}\n`
   */
  readonly banner?: (started: Started) => string
}

/**
 * Runs `gatewarden serve` in this process, with the paths of a host beside its own: the same variables, probes, pages, logs,
 * metrics, traces and limits, and the same way to start, drain and exit. The command line finds it while it runs.
 *
 * @param options see [ServeOptions](#serveoptions)
 * @returns when the server has stopped, or could not start: stderr says why, and `process.exitCode` is that of the command
 * @throws TypeError for an option that does not exist
 * @example
 * await serveGatewarden({
 *   routes: ({ gatewarden }) => ({
 *     paths: ["/models/best"],
 *     listener: (request, response, next) => {
 *       if (request.url !== `${gatewarden.basePath}/models/best`) return next?.()
 *       response.end("{}")
 *     }
 *   })
 * })
 */
export const serveGatewarden = async (options: ServeOptions): Promise<void> => {
  requireOptions<ServeOptions>("serveGatewarden", options, { routes: true, catalog: true, banner: true })
  // Hosts of another kind need nothing of it.
  const { serveProcess } = await import("./serveProcess.ts")
  await serveProcess(options)
}
