import * as z from "zod"
import { destinationType, headers, required } from "../destinationType.ts"

export const opik = destinationType({
  type: "opik",
  config: z.object({ apiKey: required, workspace: required, projectName: required, headers }),
  secrets: { apiKey: "abbreviated" }
})
