import { httpSuite } from "@gatewarden/conformance"
import { nextDoor, whatNextLetsThrough } from "../hosts/nextDoor.ts"

httpSuite("Next on the memory store", () => nextDoor, whatNextLetsThrough)
