import * as z from "zod"
import { destinationType, headers, required } from "../destinationType.ts"

export const newrelic = destinationType({
  type: "newrelic",
  config: z.object({
    licenseKey: required,
    region: z.enum(["us", "eu"]).default("us"),
    baseUrl: required
      .optional()
      .describe("Replaces the address of the region, such as `https://otlp.jp.nr-data.net` for accounts in Japan."),
    headers
  }),
  secrets: { licenseKey: "abbreviated" }
})
