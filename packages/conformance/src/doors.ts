/** The ways to reach an instance. */
import type { Gatewarden } from "@gatewarden/core"
import {
  type App,
  type AppSettings,
  promiseEnforcement,
  promiseRunner,
  type Services,
  startInstance,
  startServices,
  webHandler
} from "@gatewarden/core/internal"
import { appRoute } from "@gatewarden/core/effect"
import { startServer } from "@gatewarden/node/effect"
import { Context, Effect, Layer } from "effect"
import { HttpEffect, HttpServer, HttpServerRequest } from "effect/http"
import type { Server } from "node:http"
import type { Door, OpenDoor } from "./Installation.ts"

/** A door to an app in this process. */
const inProcess =
  (open: (app: App) => Door): OpenDoor =>
  (options) =>
    Effect.map(startInstance(options), ({ services, app }) => ({ services, door: open(app) }))

/** The fetch handler, in process. */
export const fetchDoor = inProcess((app) => {
  const handler = webHandler(app)
  return { origin: "http://gatewarden.test", fetch: (url, init) => handler(new Request(url, init)) }
})

/** The same, with the request target handed on as it is written: a URL would tidy up dots, escapes and blanks. */
export const rawDoor = inProcess((app) => ({
  origin: "",
  fetch: (target, init) => {
    const exact = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
      Effect.provideService(appRoute(app), HttpServerRequest.HttpServerRequest, request.modify({ url: target }))
    )
    return HttpEffect.toWebHandler(exact)(new Request("http://gatewarden.test/", init))
  }
}))

/** The server of the node package, over a socket. */
export const serverDoor: OpenDoor = (options) =>
  Effect.map(startServer({ ...options, host: "127.0.0.1", port: 0 }), ({ services, url }) => ({
    services,
    door: { origin: new URL(url).origin, fetch }
  }))

/**
 * A Node server of a host that mounts an instance: `listen` is the host's code. Paths are read as `createGatewarden` has them
 * read: the host may have stripped the prefix.
 */
export const hostDoor =
  (listen: (gatewarden: Gatewarden, port: number) => Promise<Server>): OpenDoor =>
  (options) =>
    Effect.gen(function* () {
      const { basePath } = options.settings
      const { services, app } = yield* startInstance({
        ...options,
        settings: { ...options.settings, prefix: "either" }
      })
      const handler = webHandler(app)
      const gatewarden: Gatewarden = {
        fetch: (request) => handler(request),
        basePath,
        generatedKey: undefined,
        ...promiseEnforcement(promiseRunner(services), () => ({ region: "global", docs: app.errorDocs("") })),
        createAccount: async () => undefined,
        suspendAccount: async () => false,
        resumeAccount: async () => false,
        runBackground: async () => [],
        close: async () => {}
      }
      const server = yield* Effect.acquireRelease(
        Effect.promise(() => listen(gatewarden, 0)),
        (server) =>
          Effect.promise(async () => {
            server.closeAllConnections()
            server.close()
          })
      )
      return { services, door: doorAt(server.address()) }
    })

/** A server of a host that merges the routes into its own: `layerServer` is the host's code. */
export const layeredDoor =
  (
    layerServer: (
      services: Layer.Layer<Services>,
      port: number,
      settings: AppSettings
    ) => Layer.Layer<HttpServer.HttpServer, unknown>
  ): OpenDoor =>
  (options) =>
    Effect.gen(function* () {
      const { services } = yield* startServices(options)
      const host = yield* Layer.build(layerServer(Layer.succeedContext(services), 0, options.settings))
      return { services, door: doorAt(Context.get(host, HttpServer.HttpServer).address) }
    })

const doorAt = (address: unknown): Door => {
  const port = typeof address === "object" && address !== null && "port" in address ? Number(address.port) : 0
  return { origin: `http://127.0.0.1:${port}`, fetch }
}
