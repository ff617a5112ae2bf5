import * as z from "zod"
import { destinationType, headers, required } from "../destinationType.ts"

export const newrelic = destinationType({
  type: "newrelic",
  config: z.object({ licenseKey: required, region: z.enum(["us", "eu"]).default("us"), headers }),
  secrets: { licenseKey: "abbreviated" }
})
