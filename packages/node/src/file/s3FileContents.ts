/**
 * Contents of files as objects of an S3-compatible bucket, one object per file.
 *
 * Rule: files#file-storage. Source: Amazon S3 API reference, PutObject, GetObject, DeleteObject. The bucket is part of the
 * installation, as the database is: it may be anywhere the process can reach.
 */
import {
  contentPieceSize,
  FileContents,
  FileStorageUnavailable,
  type Fetch,
  openRequest,
  readBody,
  sendRequest
} from "@gatewarden/core/internal"
import { maxFileBytes } from "@gatewarden/contract/internal"
import { Effect, Option, Stream } from "effect"
import { errorCodeOf, type ObjectMethod, objectRequests, type S3Options } from "./objectRequests.ts"
import { spoolContent } from "./spoolContent.ts"
import { readStream } from "./writeStream.ts"

/** Of what the service says to a request that has no content for an answer. */
const maxAnswerBytes = 65_536

/** Whether there is no such object. A bucket that there is not says nothing of the objects that are in the right one. */
const isMissing = (status: number, said: Uint8Array): boolean =>
  status === 404 && errorCodeOf(new TextDecoder().decode(said)) !== "NoSuchBucket"

export const s3FileContents = (options: S3Options): (typeof FileContents)["Service"] => {
  const timeoutMillis = options.timeoutMillis ?? 300_000
  const sign = objectRequests(options)

  const unavailable = (cause: unknown) => Effect.die(new FileStorageUnavailable({ cause }))
  const unexpected = (status: number) => unavailable(`status ${status}`)

  const signed = (method: ObjectMethod, id: string, bodyHash?: string) =>
    Effect.catch(sign(method, id, bodyHash), unavailable)
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
      const request = yield* signed("GET", id)
      const { status, body } = yield* Effect.acquireRelease(
        openRequest(fetch as Fetch, {
          ...request,
          timeoutMillis,
          wholeTimeoutMillis: timeoutMillis,
          maxBytes: maxFileBytes
        }),
        ({ body }) => Effect.promise(() => body.cancel().catch(() => {})),
        { interruptible: true }
      ).pipe(Effect.catch(unavailable))
      if (status !== 200) {
        const said = yield* Effect.tryPromise(() => readBody({ body }, maxAnswerBytes)).pipe(Effect.catch(unavailable))
        return isMissing(status, said) ? Option.none() : yield* unexpected(status)
      }
      return Option.some(
        Stream.fromReadableStream<Uint8Array, FileStorageUnavailable>({
          evaluate: () => body,
          onError: (cause) => new FileStorageUnavailable({ cause })
        }).pipe(Stream.orDie)
      )
    }),
    remove: (id) =>
      Effect.flatMap(signed("DELETE", id), (request) =>
        Effect.flatMap(send({ ...request, timeoutMillis, maxBytes: maxAnswerBytes }), ({ status, body }) =>
          status === 204 || status === 200 || isMissing(status, body) ? Effect.void : unexpected(status)
        )
      )
  })
}
