import * as z from "zod"
import { destinationType, headers, required } from "../destinationType.ts"

export const clickhouse = destinationType({
  type: "clickhouse",
  config: z.object({
    host: required,
    database: required,
    username: required.describe("`default` when the database has no other user."),
    password: required,
    table: z.string().default("GATEWARDEN_TRACES"),
    headers
  }),
  secrets: { password: "asterisks" }
})
