import * as z from "zod"
import { apiKey, baseUrl, destinationType, headers, required } from "../destinationType.ts"

export const arize = destinationType({
  type: "arize",
  config: z.object({
    apiKey,
    spaceKey: required.describe("Id of the Arize space."),
    modelId: required.describe("Name of the tracing project."),
    baseUrl: baseUrl("https://otlp.arize.com"),
    headers
  }),
  secrets: { apiKey: "abbreviated", spaceKey: "abbreviated" }
})
