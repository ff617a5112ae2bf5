import * as z from "zod"
import { destinationType, headers, longestAddress, required } from "../destinationType.ts"

export const s3 = destinationType({
  type: "s3",
  config: z.object({
    bucketName: required.describe("Name of the bucket that receives the objects."),
    accessKeyId: required.describe("Id of the access key of the account."),
    secretAccessKey: required.describe("Secret that belongs to the access key."),
    sessionToken: z.string().optional().describe("Session token of temporary credentials."),
    region: z.string().optional().describe("Region of the bucket."),
    endpoint: z
      .url()
      .max(longestAddress)
      .optional()
      .describe("Base URL of a service that is compatible with S3. Absent: S3 itself."),
    prefix: z.string().default("gatewarden-traces").describe("First part of the path of each object."),
    pathTemplate: z
      .string()
      .default("{prefix}/{date}")
      .describe(
        "Path of each object before its file name, with {prefix}, {date}, {year}, {month}, {day} and {apiKeyName}."
      ),
    headers
  }),
  secrets: { accessKeyId: "abbreviated", secretAccessKey: "abbreviated", sessionToken: "abbreviated" }
})
