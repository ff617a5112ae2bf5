import * as z from "zod"
import { destinationType, headers, required } from "../destinationType.ts"

export const weave = destinationType({
  type: "weave",
  config: z.object({
    apiKey: required,
    entity: required,
    project: required,
    baseUrl: z.string().default("https://trace.wandb.ai"),
    headers
  }),
  secrets: { apiKey: "abbreviated" }
})
