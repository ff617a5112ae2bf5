import { httpSuite, serverDoor } from "@gatewarden/conformance"
import { layerMemory } from "@gatewarden/core/effect"

httpSuite("server on the memory store", () => ({ store: layerMemory, door: serverDoor }))
