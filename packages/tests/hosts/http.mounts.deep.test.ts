import { httpSuite, oneOfEachStatus } from "@gatewarden/conformance"
import { mounts } from "./mounts.ts"

for (const [name, { options, reached }] of mounts)
  httpSuite(
    name,
    () => options,
    (cases, group) => reached(oneOfEachStatus(cases, group), group)
  )
