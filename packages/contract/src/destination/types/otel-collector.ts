import * as z from "zod"
import { destinationType, headers, requiredAddress } from "../destinationType.ts"

export const otelCollector = destinationType({
  type: "otel-collector",
  config: z.object({
    endpoint: requiredAddress.describe(
      "URL that takes traces by OTLP over HTTP. A URL without a path gets `/v1/traces`."
    ),
    headers
  }),
  secrets: {}
})
