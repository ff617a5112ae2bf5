/** Requests about objects of an S3-compatible bucket, signed. */
import { emptyBodyHash, signAwsRequest, withoutTrailingSlashes } from "@gatewarden/core/internal"
import { Clock, Data, Effect, Redacted } from "effect"

export interface S3Options {
  /** The service, such as `https://s3.eu-central-1.amazonaws.com`; the bucket follows as the first part of the path. */
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: Redacted.Redacted<string>
  readonly sessionToken?: Redacted.Redacted<string> | undefined
  /** What the names of objects start with. Default `files/`. */
  readonly prefix?: string | undefined
  /** Where a content rests until its length and digest are known, which the service asks for first. Default: the system's. */
  readonly spoolDirectory?: string | undefined
  /** How long a transfer may take. Default 5 minutes. */
  readonly timeoutMillis?: number | undefined
}

export type ObjectMethod = "PUT" | "GET" | "DELETE"

/** No object has such a name: an id is letters, digits, underscores and hyphens. */
export class NoObject extends Data.TaggedError("NoObject")<{ readonly id: string }> {}

const idPattern = /^[A-Za-z0-9_-]{1,256}$/

/** Signs requests about the objects of files, by file id. `bodyHash`: lowercase hex SHA-256 of the body, if there is one. */
export const objectRequests = (options: S3Options) => {
  const path = [options.bucket, ...(options.prefix ?? "files/").split("/")].map(encodeURIComponent).join("/")
  const base = `${withoutTrailingSlashes(options.endpoint)}/${path}`
  const credentials = {
    accessKeyId: options.accessKeyId,
    secretAccessKey: Redacted.value(options.secretAccessKey),
    sessionToken: options.sessionToken && Redacted.value(options.sessionToken)
  }
  return Effect.fnUntraced(function* (method: ObjectMethod, id: string, bodyHash = emptyBodyHash) {
    if (!idPattern.test(id)) return yield* new NoObject({ id })
    const request = { method, url: base + id }
    const now = yield* Clock.currentTimeMillis
    const headers = yield* signAwsRequest({ ...request, bodyHash }, credentials, options.region, now)
    return { ...request, headers }
  })
}

/** The code in an error of the service; undefined where there is none. Source: Amazon S3 API reference, error responses. */
export const errorCodeOf = (said: string): string | undefined => /<Code>([A-Za-z0-9]{1,64})<\/Code>/.exec(said)?.[1]
