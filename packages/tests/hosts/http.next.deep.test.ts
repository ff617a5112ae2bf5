import { httpSuite } from "@gatewarden/conformance"
import { nextDoor, whatNextLetsThrough } from "./nextDoor.ts"

httpSuite("Next on the memory store", () => nextDoor, whatNextLetsThrough)
