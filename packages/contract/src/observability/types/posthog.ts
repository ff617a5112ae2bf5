import * as z from "zod"
import { destinationType, headers, required } from "../destinationType.ts"

export const posthog = destinationType({
  type: "posthog",
  config: z.object({ apiKey: required, endpoint: z.string().default("https://us.i.posthog.com"), headers }),
  secrets: { apiKey: "abbreviated" }
})
