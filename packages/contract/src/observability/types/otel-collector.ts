import * as z from "zod"
import { destinationType, headers, required } from "../destinationType.ts"

export const otelCollector = destinationType({
  type: "otel-collector",
  config: z.object({ endpoint: required, headers }),
  secrets: {}
})
