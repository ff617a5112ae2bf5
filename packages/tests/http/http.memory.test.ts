import { layerMemory } from "@gatewarden/core/effect"
import { fetchDoor, httpSuite } from "@gatewarden/conformance"

httpSuite("fetch handler on the memory store", () => ({ store: layerMemory, door: fetchDoor }))
