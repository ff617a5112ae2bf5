import * as z from "zod"
import { destinationType, headers, required } from "../destinationType.ts"

export const grafana = destinationType({
  type: "grafana",
  config: z.object({
    apiKey: required,
    instanceId: required,
    baseUrl: z.string().default("https://otlp-gateway-prod-us-west-0.grafana.net"),
    headers
  }),
  secrets: { apiKey: "abbreviated" }
})
