import * as z from "zod"
import { destinationType, headers, required, requiredAddress } from "../destinationType.ts"

export const newrelic = destinationType({
  type: "newrelic",
  config: z.object({
    licenseKey: required.describe("License key of the New Relic account."),
    region: z.enum(["us", "eu"]).default("us").describe("Data centre of the New Relic account."),
    baseUrl: requiredAddress
      .optional()
      .describe("Base URL in place of the region's own, such as `https://otlp.jp.nr-data.net` for accounts in Japan."),
    headers
  }),
  secrets: { licenseKey: "abbreviated" }
})
