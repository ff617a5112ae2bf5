import { hostDoor, httpSuite } from "@gatewarden/conformance"
import { layerMemory } from "@gatewarden/core/effect"
import { listen } from "../../../examples/embed-fastify/src/server.ts"

httpSuite("Fastify on the memory store", () => ({ store: layerMemory, door: hostDoor(listen) }))
