import * as z from "zod"
import { destinationType, headers, required } from "../destinationType.ts"

export const snowflake = destinationType({
  type: "snowflake",
  config: z.object({
    account: required.max(255).regex(/^[a-zA-Z0-9_]+(?:[.-][a-zA-Z0-9_]+)*$/),
    token: required,
    database: z.string().default("SNOWFLAKE_LEARNING_DB"),
    schema: z.string().default("PUBLIC"),
    table: z.string().default("GATEWARDEN_TRACES"),
    warehouse: z.string().default("COMPUTE_WH"),
    headers
  }),
  secrets: { token: "abbreviated" }
})
