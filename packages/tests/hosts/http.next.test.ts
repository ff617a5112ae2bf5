import { httpSuite, oneOfEachOperation } from "@gatewarden/conformance"
import { nextDoor, whatNextLetsThrough } from "./nextDoor.ts"

httpSuite(
  "Next on the memory store",
  () => nextDoor,
  (cases, group) => oneOfEachOperation(whatNextLetsThrough(cases, group), group)
)
