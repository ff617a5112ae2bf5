import * as z from "zod"
import { destinationType, headers, required } from "../destinationType.ts"

export const braintrust = destinationType({
  type: "braintrust",
  config: z.object({
    apiKey: required,
    projectId: required,
    baseUrl: z.string().default("https://api.braintrust.dev"),
    headers
  }),
  secrets: { apiKey: "abbreviated" }
})
