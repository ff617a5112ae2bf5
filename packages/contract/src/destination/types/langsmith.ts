import * as z from "zod"
import { address, apiKey, destinationType, headers, required } from "../destinationType.ts"

export const langsmith = destinationType({
  type: "langsmith",
  config: z.object({
    apiKey,
    endpoint: address.default("https://api.smith.langchain.com").describe("Base URL of the platform's API."),
    project: required.default("main").describe("Name of the LangSmith project."),
    workspaceId: z.string().optional().describe("Id of the LangSmith workspace. Keys of a whole organization need it."),
    headers
  }),
  secrets: { apiKey: "abbreviated" }
})
