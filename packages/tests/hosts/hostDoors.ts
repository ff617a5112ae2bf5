/** The hosts of the examples, each with its own code, as the HTTP suite speaks to them. */
import { fetchDoor, hostDoor, type InstallationOptions, layeredDoor } from "@gatewarden/conformance"
import { layerMemory } from "@gatewarden/core/effect"
import { layerServer } from "../../../examples/embed-effect/src/server.ts"
import { listen as listenExpress } from "../../../examples/embed-express/src/server.ts"
import { listen as listenFastify } from "../../../examples/embed-fastify/src/server.ts"
import { listen as listenHono } from "../../../examples/embed-hono/src/server.ts"
import { listen as listenNode } from "../../../examples/embed-node-http/src/server.ts"

const store = layerMemory

export const hostDoors: Readonly<Record<string, InstallationOptions>> = {
  "Effect application": { store, door: layeredDoor(layerServer) },
  "Express 5": { store, door: hostDoor(listenExpress) },
  Fastify: { store, door: hostDoor(listenFastify) },
  Hono: { store, door: hostDoor(listenHono) },
  "node:http host": { store, door: hostDoor(listenNode) },
  "fetch handler under a prefix that a host stripped": {
    store,
    door: fetchDoor,
    settings: { prefix: "either", basePath: "" }
  }
}
