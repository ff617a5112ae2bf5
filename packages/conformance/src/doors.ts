/** The ways to reach an instance. */
import type { Gatewarden } from "@gatewarden/core"
import { startInstance } from "@gatewarden/core/effect"
import { startServer } from "@gatewarden/node/effect"
import { Effect } from "effect"
import { HttpEffect, HttpServerRequest } from "effect/http"
import type { Server } from "node:http"
import type { App, Door, OpenDoor } from "./Installation.ts"

/** A door to an app in this process. */
const inProcess =
  (open: (app: App) => Door): OpenDoor =>
  (options) =>
    Effect.map(startInstance(options), ({ services, app }) => ({ services, door: open(app) }))

const fetchHandler = (app: App) => HttpEffect.toWebHandler(app)

/** The fetch handler, in process. */
export const fetchDoor = inProcess((app) => {
  const handler = fetchHandler(app)
  return { origin: "http://gatewarden.test", fetch: (url, init) => handler(new Request(url, init)) }
})

/** The same, with the request target handed on as it is written: a URL would tidy up dots, escapes and blanks. */
export const rawDoor = inProcess((app) => ({
  origin: "",
  fetch: (target, init) => {
    const exact = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
      Effect.provideService(app, HttpServerRequest.HttpServerRequest, request.modify({ url: target }))
    )
    return fetchHandler(exact)(new Request("http://gatewarden.test/", init))
  }
}))

/** The server of the node package, over a socket. */
export const serverDoor: OpenDoor = (options) =>
  Effect.map(startServer({ ...options, host: "127.0.0.1", port: 0 }), ({ services, url }) => ({
    services,
    door: { origin: new URL(url).origin, fetch }
  }))

/** A Node server of a host that mounts an instance: `listen` is the host's code. */
export const hostDoor =
  (listen: (gatewarden: Gatewarden, port: number) => Promise<Server>): OpenDoor =>
  (options) =>
    Effect.gen(function* () {
      const { services, app } = yield* startInstance(options)
      const gatewarden: Gatewarden = {
        fetch: fetchHandler(app),
        generatedKey: undefined,
        createAccount: async () => undefined,
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
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      return { services, door: { origin: `http://127.0.0.1:${port}`, fetch } }
    })
