import * as z from "zod"
import { destinationType, headers, required, requiredAddress, table } from "../destinationType.ts"

export const clickhouse = destinationType({
  type: "clickhouse",
  config: z.object({
    host: requiredAddress.describe("URL of the HTTP interface of ClickHouse."),
    database: required.describe("Name of the database."),
    username: required.describe("User of the database. ClickHouse's own is `default`."),
    password: required.describe("Password of the user."),
    table,
    headers
  }),
  secrets: { password: "asterisks" }
})
