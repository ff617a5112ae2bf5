import * as z from "zod"
import { destinationType, headers, required } from "../destinationType.ts"

export const webhook = destinationType({
  type: "webhook",
  config: z.object({ url: required, method: z.enum(["POST", "PUT"]).default("POST"), headers }),
  secrets: {}
})
