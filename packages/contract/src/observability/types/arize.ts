import * as z from "zod"
import { destinationType, headers, required } from "../destinationType.ts"

export const arize = destinationType({
  type: "arize",
  config: z.object({
    apiKey: required,
    spaceKey: required,
    modelId: required.describe("The name of the tracing project."),
    baseUrl: z.string().default("https://otlp.arize.com"),
    headers
  }),
  secrets: { apiKey: "abbreviated", spaceKey: "abbreviated" }
})
