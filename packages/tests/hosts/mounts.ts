/** Other ways to mount an instance in a host that passes the whole suite one way. */
import type { Gatewarden } from "@gatewarden/core"
import { type Choose, hostDoor, type InstallationOptions } from "@gatewarden/conformance"
import { layerMemory } from "@gatewarden/core/effect"
import { toNodeHandler } from "@gatewarden/node"
import { createAdaptorServer } from "@hono/node-server"
import express5, { type Express } from "express"
import express4 from "express4"
import { Hono } from "hono"
import { once } from "node:events"
import { createServer, type Server } from "node:http"

const listening = async (server: Server): Promise<Server> => {
  if (!server.listening) await once(server, "listening")
  return server
}

const onExpress = (express: typeof express5, mount: (app: Express, gatewarden: Gatewarden) => void) =>
  hostDoor((gatewarden, port) => {
    const app = express()
    mount(app, gatewarden)
    return listening(app.listen(port, "127.0.0.1"))
  })

const onHono = (serve: (app: Hono) => Server, mount: (app: Hono, gatewarden: Gatewarden) => void) =>
  hostDoor((gatewarden, port) => {
    const app = new Hono()
    mount(app, gatewarden)
    return listening(serve(app).listen(port, "127.0.0.1"))
  })

const store = layerMemory
const parser = { limit: "40mb", strict: false }

export interface Mount {
  readonly options: InstallationOptions
  /** Of the cases that are to run, those that reach the instance. */
  readonly reached: Choose
}

const everything: Choose = (cases) => cases

/** What a parser refuses, the host answers, and what is too large it has made smaller or refused. */
const whereHostsParse: Choose = (cases, group) =>
  group === "every request" ? [] : cases.filter(({ status }) => status !== 413)

const mountsOn = (name: string, express: typeof express5): readonly (readonly [string, Mount])[] => [
  [
    `${name}, prefix stripped, before the JSON parser`,
    {
      reached: everything,
      options: {
        store,
        door: onExpress(express, (app, gatewarden) => {
          app.use("/api/v1", toNodeHandler(gatewarden))
          app.use(express.json(parser))
        })
      }
    }
  ],
  [
    `${name}, prefix kept, after the parsers`,
    {
      reached: whereHostsParse,
      options: {
        store,
        door: onExpress(express, (app, gatewarden) => {
          app.use(express.json(parser), express.urlencoded({ extended: true }))
          app.use(toNodeHandler(gatewarden))
        })
      }
    }
  ]
]

export const mounts: ReadonlyMap<string, Mount> = new Map([
  ...mountsOn("Express 5", express5),
  ...mountsOn("Express 4", express4),
  // Not behind Hono's own adapter: it closes the connection half a second after a mounted application left a body unread.
  [
    "Hono, prefix stripped",
    {
      reached: everything,
      options: {
        store,
        door: onHono(
          (app) => createServer(toNodeHandler({ fetch: (request) => Promise.resolve(app.fetch(request)) })),
          (app, gatewarden) => app.mount("/api/v1", gatewarden.fetch)
        )
      }
    }
  ],
  [
    "Hono, where the adapter replaces globals",
    {
      reached: everything,
      options: {
        store,
        door: onHono(
          ({ fetch }) => createAdaptorServer({ fetch }) as Server,
          (app, gatewarden) => app.all("/api/v1/*", (context) => gatewarden.fetch(context.req.raw))
        )
      }
    }
  ]
])
