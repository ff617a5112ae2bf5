import * as z from "zod"
import { destinationType, headers, required } from "../destinationType.ts"

export const ramp = destinationType({
  type: "ramp",
  config: z.object({
    apiKey: required,
    baseUrl: z.string().default("https://api.ramp.com/developer/v1/ai-usage/openrouter"),
    headers
  }),
  secrets: { apiKey: "abbreviated" }
})
