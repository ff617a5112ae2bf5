import * as z from "zod"
import { address, destinationType, headers, required } from "../destinationType.ts"

export const datadog = destinationType({
  type: "datadog",
  config: z.object({
    apiKey: required.describe("API key with permission for LLM observability."),
    mlApp: required.describe("Name of the application in Datadog."),
    url: address.default("https://api.us5.datadoghq.com").describe("Base URL of the API in the region of the account."),
    headers
  }),
  secrets: { apiKey: "abbreviated" }
})
