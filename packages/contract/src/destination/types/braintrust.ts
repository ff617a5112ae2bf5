import * as z from "zod"
import { apiKey, baseUrl, destinationType, headers, required } from "../destinationType.ts"

export const braintrust = destinationType({
  type: "braintrust",
  config: z.object({
    apiKey,
    projectId: required.describe("Id of the Braintrust project."),
    baseUrl: baseUrl("https://api.braintrust.dev"),
    headers
  }),
  secrets: { apiKey: "abbreviated" }
})
