import * as z from "zod"
import { apiKey, baseUrl, destinationType, headers, required } from "../destinationType.ts"

export const grafana = destinationType({
  type: "grafana",
  config: z.object({
    apiKey: apiKey.describe("Token of an access policy that may write traces."),
    instanceId: required.describe("Id of the Grafana Cloud instance, the user name of its OTLP gateway."),
    baseUrl: baseUrl("https://otlp-gateway-prod-us-west-0.grafana.net"),
    headers
  }),
  secrets: { apiKey: "abbreviated" }
})
