import { hostDoor, httpSuite } from "@gatewarden/conformance"
import { layerMemory } from "@gatewarden/core/effect"
import { listen } from "../../../examples/embed-hono/src/server.ts"

httpSuite("Hono on the memory store", () => ({ store: layerMemory, door: hostDoor(listen) }))
