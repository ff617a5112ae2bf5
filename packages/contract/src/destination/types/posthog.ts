import * as z from "zod"
import { address, apiKey, destinationType, headers } from "../destinationType.ts"

export const posthog = destinationType({
  type: "posthog",
  config: z.object({
    apiKey,
    endpoint: address.default("https://us.i.posthog.com").describe("Base URL of the PostHog instance."),
    headers
  }),
  secrets: { apiKey: "abbreviated" }
})
