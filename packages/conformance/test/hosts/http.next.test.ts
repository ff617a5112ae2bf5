import { httpSuite, oneOfEachStatus } from "@gatewarden/conformance"
import { nextDoor, whatNextLetsThrough } from "./nextDoor.ts"

httpSuite(
  "Next on the memory store",
  () => nextDoor,
  (cases, group) => oneOfEachStatus(whatNextLetsThrough(cases, group), group)
)
