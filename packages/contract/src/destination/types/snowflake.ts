import * as z from "zod"
import { destinationType, headers, required, requiredAddress, table } from "../destinationType.ts"

export const snowflake = destinationType({
  type: "snowflake",
  config: z.object({
    account: required
      .max(255)
      .regex(/^[a-zA-Z0-9_]+(?:[.-][a-zA-Z0-9_]+)*$/)
      .describe("Identifier of the Snowflake account."),
    host: requiredAddress
      .optional()
      .describe(
        "Base URL of the account's SQL API, such as `https://snowflake.example.com` for a proxy or a private link. Default: the account's address at `snowflakecomputing.com`."
      ),
    token: required.describe("Programmatic access token of a Snowflake user."),
    database: z.string().default("SNOWFLAKE_LEARNING_DB").describe("Database of the table."),
    schema: z.string().default("PUBLIC").describe("Schema of the table."),
    table,
    warehouse: z.string().default("COMPUTE_WH").describe("Warehouse that runs the inserts."),
    headers
  }),
  secrets: { token: "abbreviated" }
})
