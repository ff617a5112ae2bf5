import { httpSuite, oneOfEachOperation } from "@gatewarden/conformance"
import { hostDoors } from "./hostDoors.ts"

for (const [name, options] of Object.entries(hostDoors))
  httpSuite(`${name} on the memory store`, () => options, oneOfEachOperation)
