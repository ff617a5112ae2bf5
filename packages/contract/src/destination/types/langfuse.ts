import * as z from "zod"
import { baseUrl, destinationType, headers, required } from "../destinationType.ts"

export const langfuse = destinationType({
  type: "langfuse",
  config: z.object({
    publicKey: required.describe("Public key of the Langfuse project."),
    secretKey: required.describe("Secret key of the Langfuse project."),
    baseUrl: baseUrl("https://us.cloud.langfuse.com"),
    headers
  }),
  secrets: { publicKey: "abbreviated", secretKey: "abbreviated" }
})
