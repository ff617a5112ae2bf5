import * as z from "zod"
import { destinationType, headers, longestAddress, required } from "../destinationType.ts"

/** No key is longer, and the template may have the prefix many times. */
const partOfKey = z.string().max(1_024)

export const s3 = destinationType({
  type: "s3",
  config: z.object({
    bucketName: required.describe("Name of the bucket that receives the objects."),
    accessKeyId: required.describe("Id of the access key of the account."),
    secretAccessKey: required.describe("Secret that belongs to the access key."),
    sessionToken: z.string().optional().describe("Session token of temporary credentials."),
    region: z.string().optional().describe("Region of the bucket."),
    endpoint: z
      .string()
      .max(longestAddress, { abort: true })
      .check(z.url())
      .optional()
      .describe("Base URL of a service that is compatible with S3. Absent: S3 itself."),
    prefix: partOfKey.default("gatewarden-traces").describe("First part of the path of each object."),
    pathTemplate: partOfKey
      .default("{prefix}/{date}")
      .describe(
        "Path of each object before its file name, with {prefix}, {date}, {year}, {month}, {day} and {apiKeyName}."
      ),
    headers
  }),
  secrets: { accessKeyId: "abbreviated", secretAccessKey: "abbreviated", sessionToken: "abbreviated" }
})
