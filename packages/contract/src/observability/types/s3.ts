import * as z from "zod"
import { destinationType, headers, required } from "../destinationType.ts"

export const s3 = destinationType({
  type: "s3",
  config: z.object({
    bucketName: required,
    accessKeyId: required,
    secretAccessKey: required,
    sessionToken: z.string().optional(),
    region: z.string().optional(),
    endpoint: z.url().optional().describe("Only for services that are compatible with S3; absent for S3 itself."),
    prefix: z.string().default("gatewarden-traces"),
    pathTemplate: z
      .string()
      .default("{prefix}/{date}")
      .describe(
        "The object's path before its file name, with {prefix}, {date}, {year}, {month}, {day} and {apiKeyName}."
      ),
    headers
  }),
  secrets: { accessKeyId: "abbreviated", secretAccessKey: "abbreviated", sessionToken: "abbreviated" }
})
