/** The bucket that keeps contents of files: whether it answers, and lets this installation read. Nothing is written. */
import { type Fetch, sendRequest } from "@gatewarden/core/internal"
import { Effect } from "effect"
import { errorCodeOf, objectRequests, type S3Options } from "../file/objectRequests.ts"
import { failure, fine, type Finding } from "./Finding.ts"

const check = "file storage"

/** No file has this id, so a bucket that may be read says that there is none. */
const probe = "doctor"

/** Codes of the service, and what mends them. Source: Amazon S3 API reference, error codes. */
const mends: Readonly<Record<string, string>> = {
  NoSuchBucket: "make the bucket, or correct GATEWARDEN_FILE_STORAGE or GATEWARDEN_S3_ENDPOINT",
  InvalidAccessKeyId: "correct GATEWARDEN_S3_ACCESS_KEY_ID",
  SignatureDoesNotMatch: "correct GATEWARDEN_S3_SECRET_ACCESS_KEY",
  AuthorizationHeaderMalformed: "correct GATEWARDEN_S3_REGION",
  PermanentRedirect: "correct GATEWARDEN_S3_REGION or GATEWARDEN_S3_ENDPOINT",
  RequestTimeTooSkewed: "correct the clock of this machine",
  AccessDenied: "allow the access key s3:ListBucket, s3:GetObject, s3:PutObject and s3:DeleteObject"
}

export const checkBucket = Effect.fnUntraced(function* (options: S3Options) {
  const place = `s3://${options.bucket}/${options.prefix ?? ""} at ${options.endpoint}`
  const request = yield* Effect.orDie(objectRequests(options)("GET", probe))
  return yield* sendRequest(fetch as Fetch, { ...request, timeoutMillis: 10_000, maxBytes: 65_536 }).pipe(
    Effect.map(({ status, body }): Finding => {
      const code = errorCodeOf(new TextDecoder().decode(body))
      if (status === 200 || (status === 404 && code !== "NoSuchBucket")) return fine(check, place)
      const said = code === undefined ? `status ${status}` : `${code} (${status})`
      return failure(
        check,
        `${place} answers ${said}`,
        mends[code ?? ""] ?? "correct the GATEWARDEN_S3_ variables",
        "configuration"
      )
    }),
    Effect.catch(() =>
      Effect.succeed(
        failure(check, `${place} does not answer`, "start it, or correct GATEWARDEN_S3_ENDPOINT", "unavailable")
      )
    )
  )
})
