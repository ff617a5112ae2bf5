import { fetchDoor, hostDoor, httpSuite, serverDoor } from "@gatewarden/conformance"
import { layerMemory } from "@gatewarden/core/effect"
import { listen } from "../../../examples/embed-node-http/src/server.ts"

httpSuite("server on the memory store", () => ({ store: layerMemory, door: serverDoor }))
httpSuite("node:http host on the memory store", () => ({ store: layerMemory, door: hostDoor(listen) }))
httpSuite("fetch handler under a prefix that a host stripped", () => ({
  store: layerMemory,
  door: fetchDoor,
  settings: { prefix: "either", basePath: "" }
}))
