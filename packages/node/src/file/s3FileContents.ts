/**
 * Contents of files as objects of an S3-compatible bucket, one object per file.
 *
 * Rule: files#file-storage. Source: Amazon S3 API reference, PutObject, GetObject, DeleteObject. The bucket is part of the
 * installation, as the database is: it may be anywhere the process can reach.
 */
import { contentPieceSize, FileContents, FileStorageUnavailable } from "@gatewarden/core/store"
import { type Fetch, sendRequest } from "@gatewarden/core/effect"
import { Clock, Effect, Option, Redacted, Stream } from "effect"
import { signRequest } from "./signRequest.ts"
import { spoolContent } from "./spoolContent.ts"
import { readStream } from "./writeStream.ts"

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

/** Of what the service says to a request that has no content for an answer. */
const maxAnswerBytes = 65_536

const idPattern = /^[A-Za-z0-9_-]{1,256}$/

export const s3FileContents = (options: S3Options): (typeof FileContents)["Service"] => {
  const path = [options.bucket, ...(options.prefix ?? "files/").split("/")].map(encodeURIComponent).join("/")
  const base = `${options.endpoint.replace(/\/+$/, "")}/${path}`
  const timeoutMillis = options.timeoutMillis ?? 300_000
  const credentials = {
    accessKeyId: options.accessKeyId,
    secretAccessKey: Redacted.value(options.secretAccessKey),
    sessionToken: options.sessionToken && Redacted.value(options.sessionToken)
  }

  const unavailable = (cause: unknown) => Effect.die(new FileStorageUnavailable({ cause }))
  const unexpected = (status: number) => unavailable(`status ${status}`)

  const signed = Effect.fnUntraced(function* (method: "PUT" | "GET" | "DELETE", id: string, bodyHash?: string) {
    if (!idPattern.test(id)) return yield* unavailable("not the id of a file")
    const request = { method, url: base + id }
    const now = yield* Clock.currentTimeMillis
    const headers = yield* Effect.promise(() => signRequest({ ...request, bodyHash }, credentials, options.region, now))
    return { ...request, headers }
  })
  const send = (request: Parameters<typeof sendRequest>[1]) =>
    Effect.catch(sendRequest(fetch as Fetch, request), unavailable)

  return FileContents.of({
    put: (id, content) =>
      Effect.scoped(
        Effect.gen(function* () {
          const { file, size, sha256 } = yield* spoolContent(options.spoolDirectory, content)
          const request = yield* signed("PUT", id, sha256)
          const body = { bytes: readStream(file, contentPieceSize), length: size }
          const { status } = yield* send({ ...request, body, timeoutMillis, maxBytes: maxAnswerBytes })
          if (status !== 200) return yield* unexpected(status)
        })
      ),
    get: Effect.fnUntraced(function* (id) {
      const { url, method, headers } = yield* signed("GET", id)
      const given = yield* Effect.acquireRelease(
        Effect.sync(() => new AbortController()),
        (controller) => Effect.sync(() => controller.abort())
      )
      const signal = AbortSignal.any([given.signal, AbortSignal.timeout(timeoutMillis)])
      const { status, body } = yield* Effect.tryPromise({
        try: () => fetch(url, { method, headers, redirect: "manual", signal }),
        catch: (cause) => cause
      }).pipe(Effect.catch(unavailable))
      if (status === 200 && body !== null)
        return Option.some(
          Stream.fromReadableStream<Uint8Array, FileStorageUnavailable>({
            evaluate: () => body,
            onError: (cause) => new FileStorageUnavailable({ cause })
          }).pipe(Stream.orDie)
        )
      return status === 404 ? Option.none() : yield* unexpected(status)
    }),
    remove: (id) =>
      Effect.flatMap(signed("DELETE", id), (request) =>
        Effect.flatMap(send({ ...request, timeoutMillis, maxBytes: maxAnswerBytes }), ({ status }) =>
          status === 204 || status === 200 || status === 404 ? Effect.void : unexpected(status)
        )
      )
  })
}
