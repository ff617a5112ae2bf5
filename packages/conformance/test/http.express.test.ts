import { hostDoor, httpSuite } from "@gatewarden/conformance"
import { layerMemory } from "@gatewarden/core/effect"
import { listen } from "../../../examples/embed-express/src/server.ts"

httpSuite("Express 5 on the memory store", () => ({ store: layerMemory, door: hostDoor(listen) }))
