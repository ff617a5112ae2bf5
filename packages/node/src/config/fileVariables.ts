/** Where contents of files are kept: the variables of an S3-compatible bucket. Rule: files#file-storage. */
import { Redacted } from "effect"
import * as z from "zod"
import type { S3Options } from "../file/objectRequests.ts"

/** A bucket, and what the names of its objects start with: `""` or a path that ends with a slash. */
export interface Bucket {
  readonly bucket: string
  readonly prefix: string
}

const bucket = z.string().transform((text, context): Bucket => {
  const [, name, path = ""] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/[A-Za-z0-9._~-]+)*)\/?$/.exec(text) ?? []
  // A URL resolves such a segment, so that a signature would be of another path.
  if (name !== undefined && !path.split("/").some((part) => part === "." || part === ".."))
    return { bucket: name, prefix: path === "" ? "" : `${path.slice(1)}/` }
  context.addIssue({ code: "custom", message: "is not valid" })
  return z.NEVER
})

const endpoint = z.string().regex(/^https?:\/\/[^\s/?#@]+\/?$/, "is not valid")

const visible = z.string().regex(/^[\x21-\x7e]{1,2048}$/, "is not valid")
const secret = z
  .string()
  .regex(/^[\x21-\x7e]{1,4096}$/, "is empty, too long or has other characters")
  .transform((text) => Redacted.make(text))

export const fileVariables = {
  GATEWARDEN_FILE_STORAGE: {
    schema: bucket,
    expected: '"s3://bucket" or "s3://bucket/prefix"',
    meaning:
      "S3-compatible bucket that keeps the contents of files; unset: the data directory, or PostgreSQL with DATABASE_URL."
  },
  GATEWARDEN_S3_ENDPOINT: {
    schema: endpoint,
    expected: "a URL such as https://s3.example.com, without a path",
    meaning: "Service that has the bucket; unset: Amazon S3 in GATEWARDEN_S3_REGION."
  },
  GATEWARDEN_S3_REGION: {
    schema: z.string().regex(/^[a-z0-9-]{1,63}$/, "is not valid"),
    expected: "lowercase letters, digits and hyphens",
    meaning: "Region that requests to the bucket are signed for.",
    default: "us-east-1"
  },
  GATEWARDEN_S3_ACCESS_KEY_ID: {
    schema: visible,
    expected: "visible ASCII characters",
    meaning: "Id of the access key for the bucket. Required with GATEWARDEN_FILE_STORAGE."
  },
  GATEWARDEN_S3_SECRET_ACCESS_KEY: {
    schema: secret,
    expected: "visible ASCII characters",
    meaning: "Secret of that access key. Required with GATEWARDEN_FILE_STORAGE.",
    secret: true
  },
  GATEWARDEN_S3_SESSION_TOKEN: {
    schema: secret,
    expected: "visible ASCII characters",
    meaning: "Session token of a temporary access key, which ends with the process that it was given to.",
    secret: true
  }
} as const

type FileValues = {
  readonly [Name in keyof typeof fileVariables]: z.output<(typeof fileVariables)[Name]["schema"]> | undefined
}

/** The bucket of a valid configuration; undefined where contents are kept elsewhere. */
export const bucketOf = (values: FileValues): S3Options | undefined => {
  const {
    GATEWARDEN_FILE_STORAGE: place,
    GATEWARDEN_S3_REGION: region = fileVariables.GATEWARDEN_S3_REGION.default,
    GATEWARDEN_S3_ACCESS_KEY_ID: accessKeyId,
    GATEWARDEN_S3_SECRET_ACCESS_KEY: secretAccessKey
  } = values
  if (place === undefined || accessKeyId === undefined || secretAccessKey === undefined) return undefined
  return {
    ...place,
    endpoint: values.GATEWARDEN_S3_ENDPOINT ?? `https://s3.${region}.amazonaws.com`,
    region,
    accessKeyId,
    secretAccessKey,
    sessionToken: values.GATEWARDEN_S3_SESSION_TOKEN
  }
}
