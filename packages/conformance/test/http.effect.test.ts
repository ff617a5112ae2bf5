import { httpSuite, layeredDoor } from "@gatewarden/conformance"
import { layerMemory } from "@gatewarden/core/effect"
import { layerServer } from "../../../examples/embed-effect/src/server.ts"

httpSuite("Effect application on the memory store", () => ({ store: layerMemory, door: layeredDoor(layerServer) }))
