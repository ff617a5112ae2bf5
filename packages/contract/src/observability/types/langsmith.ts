import * as z from "zod"
import { destinationType, headers, required } from "../destinationType.ts"

export const langsmith = destinationType({
  type: "langsmith",
  config: z.object({
    apiKey: required,
    endpoint: z.string().default("https://api.smith.langchain.com"),
    project: required.default("main"),
    workspaceId: z.string().optional().describe("Needed by keys of a whole organization."),
    headers
  }),
  secrets: { apiKey: "abbreviated" }
})
