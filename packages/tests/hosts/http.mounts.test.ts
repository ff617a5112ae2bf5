import { httpSuite, oneOfEachOperation } from "@gatewarden/conformance"
import { mounts } from "./mounts.ts"

for (const [name, { options, reached }] of mounts)
  httpSuite(
    name,
    () => options,
    (cases, group) => oneOfEachOperation(reached(cases, group), group)
  )
