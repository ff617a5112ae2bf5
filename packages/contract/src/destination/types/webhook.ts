import * as z from "zod"
import { destinationType, headers, requiredAddress } from "../destinationType.ts"

export const webhook = destinationType({
  type: "webhook",
  config: z.object({
    url: requiredAddress.describe("URL that receives the events as JSON."),
    method: z.enum(["POST", "PUT"]).default("POST").describe("HTTP method of the requests."),
    headers
  }),
  secrets: {}
})
