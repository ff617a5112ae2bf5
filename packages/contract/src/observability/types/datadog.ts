import * as z from "zod"
import { destinationType, headers, required } from "../destinationType.ts"

export const datadog = destinationType({
  type: "datadog",
  config: z.object({
    apiKey: required.describe("A key with permission for LLM observability."),
    mlApp: required.describe("The name of the application there."),
    url: z.string().default("https://api.us5.datadoghq.com").describe("The API address of the region."),
    headers
  }),
  secrets: { apiKey: "abbreviated" }
})
