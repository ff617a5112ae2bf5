import * as z from "zod"
import { destinationType, headers, required } from "../destinationType.ts"

export const langfuse = destinationType({
  type: "langfuse",
  config: z.object({
    publicKey: required,
    secretKey: required,
    baseUrl: z.string().default("https://us.cloud.langfuse.com"),
    headers
  }),
  secrets: { publicKey: "abbreviated", secretKey: "abbreviated" }
})
