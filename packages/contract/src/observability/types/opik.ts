import * as z from "zod"
import { destinationType, headers, required } from "../destinationType.ts"

export const opik = destinationType({
  type: "opik",
  config: z.object({
    apiKey: required,
    workspace: required,
    projectName: required,
    baseUrl: required
      .optional()
      .describe("The API of a self-hosted Opik, such as `https://opik.example.com/api`. Without it, Comet's cloud."),
    headers
  }),
  secrets: { apiKey: "abbreviated" }
})
