import * as z from "zod"
import { destinationType, headers, required } from "../destinationType.ts"

export const snowflake = destinationType({
  type: "snowflake",
  config: z.object({
    account: required.max(255).regex(/^[a-zA-Z0-9_]+(?:[.-][a-zA-Z0-9_]+)*$/),
    host: required
      .optional()
      .describe(
        "Where the SQL API of the account is, such as `https://snowflake.example.com` for a proxy or a private link. Without it, the account's address at `snowflakecomputing.com`."
      ),
    token: required,
    database: z.string().default("SNOWFLAKE_LEARNING_DB"),
    schema: z.string().default("PUBLIC"),
    table: z.string().default("GATEWARDEN_TRACES"),
    warehouse: z.string().default("COMPUTE_WH"),
    headers
  }),
  secrets: { token: "abbreviated" }
})
