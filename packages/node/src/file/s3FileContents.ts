/**
 * Contents of files as objects of an S3-compatible bucket, one object per file.
 *
 * Source: decisions 11; Amazon S3 API reference, PutObject, GetObject, DeleteObject. The bucket is part of the installation, as
 * the database is: it may be anywhere the process can reach.
 */
import { maxFileBytes } from "@gatewarden/contract"
import { type Fetch, FileContents, FileStorageUnavailable, sendRequest } from "@gatewarden/core/effect"
import { Clock, Effect, Option, Redacted } from "effect"
import { signRequest } from "./signRequest.ts"

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
  /** How long a transfer may take. Default 5 minutes. */
  readonly timeoutMillis?: number | undefined
}

const idPattern = /^[A-Za-z0-9_-]{1,256}$/

export const s3FileContents = (options: S3Options): (typeof FileContents)["Service"] => {
  const path = [options.bucket, ...(options.prefix ?? "files/").split("/")].map(encodeURIComponent).join("/")
  const base = `${options.endpoint.replace(/\/+$/, "")}/${path}`
  const credentials = {
    accessKeyId: options.accessKeyId,
    secretAccessKey: Redacted.value(options.secretAccessKey),
    sessionToken: options.sessionToken && Redacted.value(options.sessionToken)
  }

  const send = Effect.fnUntraced(function* (method: "PUT" | "GET" | "DELETE", id: string, body?: Uint8Array) {
    if (!idPattern.test(id)) return yield* Effect.die(new FileStorageUnavailable({ cause: "not the id of a file" }))
    const request = { method, url: base + id, ...(body === undefined ? {} : { body }) }
    const headers = signRequest(request, credentials, options.region, yield* Clock.currentTimeMillis)
    return yield* sendRequest(fetch as Fetch, {
      ...request,
      headers,
      timeoutMillis: options.timeoutMillis ?? 300_000,
      maxBytes: maxFileBytes
    }).pipe(Effect.catch((cause) => Effect.die(new FileStorageUnavailable({ cause }))))
  })

  const unexpected = (status: number) => Effect.die(new FileStorageUnavailable({ cause: `status ${status}` }))

  return FileContents.of({
    put: (id, bytes) =>
      Effect.flatMap(send("PUT", id, bytes), ({ status }) => (status === 200 ? Effect.void : unexpected(status))),
    get: (id) =>
      Effect.flatMap(send("GET", id), ({ status, body }) => {
        if (status === 200) return Effect.succeed(Option.some(body))
        return status === 404 ? Effect.succeed(Option.none()) : unexpected(status)
      }),
    remove: (id) =>
      Effect.flatMap(send("DELETE", id), ({ status }) =>
        status === 204 || status === 200 || status === 404 ? Effect.void : unexpected(status)
      )
  })
}
