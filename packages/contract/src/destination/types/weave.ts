import * as z from "zod"
import { apiKey, baseUrl, destinationType, headers, required } from "../destinationType.ts"

export const weave = destinationType({
  type: "weave",
  config: z.object({
    apiKey,
    entity: required.describe("W&B entity, a user or a team."),
    project: required.describe("Name of the W&B project."),
    baseUrl: baseUrl("https://trace.wandb.ai"),
    headers
  }),
  secrets: { apiKey: "abbreviated" }
})
