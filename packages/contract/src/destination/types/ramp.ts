import * as z from "zod"
import { apiKey, baseUrl, destinationType, headers } from "../destinationType.ts"

export const ramp = destinationType({
  type: "ramp",
  config: z.object({
    apiKey,
    baseUrl: baseUrl("https://api.ramp.com/developer/v1/ai-usage/openrouter"),
    headers
  }),
  secrets: { apiKey: "abbreviated" }
})
