import * as z from "zod"
import { apiKey, destinationType, headers, required, requiredAddress } from "../destinationType.ts"

export const opik = destinationType({
  type: "opik",
  config: z.object({
    apiKey,
    workspace: required.describe("Name of the Opik workspace."),
    projectName: required.describe("Name of the Opik project."),
    baseUrl: requiredAddress
      .optional()
      .describe("Base URL of a self-hosted Opik, such as `https://opik.example.com/api`. Default: Comet's cloud."),
    headers
  }),
  secrets: { apiKey: "abbreviated" }
})
