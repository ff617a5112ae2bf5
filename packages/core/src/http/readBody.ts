/**
 * Reads a request body as its operation declares it, after the caller was let in.
 *
 * Source: decisions 4: 415, then 413, then 400.
 */
import type { Body } from "@gatewarden/contract"
import { ByteSize, Effect, Stream } from "effect"
import { HttpIncomingMessage, Multipart } from "effect/http"
import { BadRequest, TooLarge, UnsupportedMediaType } from "../failure.ts"
import { Digest, hex } from "../platform/Digest.ts"
import { joinBytes } from "../platform/joinBytes.ts"
import { type AppRequest, bodyProblem, type BodyProblem } from "./AppRequest.ts"
import { checkInput } from "./checkInput.ts"
import type { UploadedFile } from "./Input.ts"
import { parseJson } from "./parseJson.ts"

/** What arrived, and the digest of it that tells a repetition from another request. */
export interface ReadBody {
  readonly value: unknown
  /** The JSON value before the contract looked at it. */
  readonly sent: unknown
  /** Lowercase hex SHA-256; of lines, which it reads to their end, a chain. */
  readonly hash: Effect.Effect<string>
}

export const noBody: ReadBody = { value: undefined, sent: undefined, hash: Effect.succeed("") }

const mediaType = (request: AppRequest): string =>
  (request.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? ""

const isJson = (request: AppRequest): boolean =>
  /^\s*application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?;?\s*$/i.test(request.headers["content-type"] ?? "")

const invalidJson = (path: string, code: string, message: string) =>
  new BadRequest({ reason: "invalid_json", issues: [{ path, code, message }] })

const tooLarge = () => new TooLarge({ reason: "payload_too_large" })
const unsupported = () => new UnsupportedMediaType({ reason: "unsupported_media_type" })

/** Nothing here decodes (RFC 9110 15.5.16). A host that did has taken the header away. */
const codingProblem = (request: AppRequest): UnsupportedMediaType | undefined => {
  const coding = request.headers["content-encoding"]?.trim().toLowerCase() ?? ""
  if (coding === "" || coding === "identity") return undefined
  const issue = {
    path: "header.content-encoding",
    code: "unsupported_coding",
    message: "Expected a body that is not coded"
  }
  return new UnsupportedMediaType({ reason: "unsupported_media_type", issues: [issue] })
}

export const readBody = (
  request: AppRequest,
  body: Body
): Effect.Effect<ReadBody, BadRequest | TooLarge | UnsupportedMediaType> => {
  const problem = codingProblem(request)
  if (problem !== undefined) return Effect.fail(problem)
  switch (body.kind) {
    case "json":
      return readValue(request, body.schema, body.maxBytes)
    case "jsonOrLines":
      return mediaType(request) === "application/x-ndjson"
        ? readLines(request, body)
        : Effect.map(readValue(request, body.schema, body.maxBytes), (read) => ({
            ...read,
            value: { kind: "value", value: read.value }
          }))
    case "file":
      return readFile(request, body.maxBytes)
  }
}

const hasBody = (request: AppRequest): boolean =>
  request.headers["transfer-encoding"] !== undefined || Number(request.headers["content-length"] ?? 0) > 0

const announcedTooLarge = (request: AppRequest, maxBytes: number): boolean =>
  Number(request.headers["content-length"] ?? 0) > maxBytes

const readBytes = (request: AppRequest, maxBytes: number): Effect.Effect<Uint8Array, BadRequest | TooLarge> =>
  announcedTooLarge(request, maxBytes)
    ? Effect.fail(tooLarge())
    : Effect.mapError(request.readBytes(maxBytes), refusalOf)

/** A body that broke off, or passed its cap while it was read. */
const refusalOf = (problem: BodyProblem): BadRequest | TooLarge =>
  problem === "too_large" ? tooLarge() : invalidJson("", "unreadable_body", "The body could not be read to its end")

const readValue = (
  request: AppRequest,
  schema: Extract<Body, { kind: "json" }>["schema"],
  maxBytes: number
): Effect.Effect<ReadBody, BadRequest | TooLarge | UnsupportedMediaType> => {
  const isTyped = request.headers["content-type"] !== undefined
  // fetch runtimes do not always announce a length, so an absent Content-Type is judged once the body is known to be there.
  if (isTyped ? !isJson(request) : hasBody(request)) return Effect.fail(unsupported())
  return Effect.flatMap(
    readBytes(request, maxBytes),
    (bytes): Effect.Effect<ReadBody, BadRequest | UnsupportedMediaType> => {
      if (bytes.length > 0 && !isTyped) return Effect.fail(unsupported())
      const parsed = parseJson(bytes)
      if (!parsed.ok) return Effect.fail(invalidJson(parsed.path, parsed.code, parsed.message))
      const sent = parsed.value
      if (typeof sent !== "object" || sent === null || Array.isArray(sent))
        return Effect.fail(invalidJson("", "not_an_object", "The body must be a JSON object"))
      const hash = Effect.flatMap(Digest, (digest) => digest.sha256Hex(bytes))
      return Effect.mapEager(checkInput(schema, sent), (value) => ({ value, sent, hash }))
    }
  )
}

/** A fetch request without a body has no stream to read, which is no fault of its sender. */
const bytesOf = (request: AppRequest) => {
  const { source, stream } = request.whole()
  const isAbsent = "body" in source && source.body === null
  return isAbsent ? Stream.empty : Stream.mapError(stream, (error) => refusalOf(bodyProblem(error)))
}

/** Lines stay a stream: each is checked when it is reached, and the first bad one ends it with its number in the issue. */
const readLines = Effect.fnUntraced(function* (request: AppRequest, body: Extract<Body, { kind: "jsonOrLines" }>) {
  const digest = yield* Digest
  let chain = new Uint8Array(0)
  let number = 0
  let isRead = false
  // Only a repetition needs it.
  const isHashed = request.headers["idempotency-key"] !== undefined
  const line = Effect.fnUntraced(function* (bytes: Uint8Array) {
    const index = number++
    if (isHashed) {
      const linked = new Uint8Array(chain.length + bytes.length)
      linked.set(chain)
      linked.set(bytes, chain.length)
      chain = new Uint8Array(yield* digest.sha256(linked))
    }
    const parsed = parseJson(bytes)
    if (!parsed.ok)
      return yield* invalidJson(`lines.${index}${parsed.path && `.${parsed.path}`}`, parsed.code, parsed.message)
    return yield* checkInput(body.line, parsed.value, `lines.${index}.`)
  })
  const lines = bytesOf(request).pipe(
    splitLines(body.maxLineBytes),
    Stream.mapEffect(line),
    Stream.concat(
      Stream.suspend(() => {
        isRead = true
        return Stream.empty
      })
    )
  )
  const hash = Effect.suspend(() =>
    Effect.map(isRead ? Effect.void : Effect.ignore(Stream.runDrain(lines)), () => hex(chain))
  )
  return { value: { kind: "lines", lines }, sent: undefined, hash }
})

/** Cuts bytes at line feeds; blank lines are skipped, a trailing carriage return is white space to JSON. */
const splitLines =
  (maxBytes: number) =>
  <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Uint8Array, E | TooLarge, R> =>
    Stream.suspend(() => {
      let rest: readonly Uint8Array[] = []
      let restLength = 0
      const take = (): Uint8Array => {
        const whole = joinBytes(rest)
        rest = []
        restLength = 0
        return whole
      }
      const push = (part: Uint8Array) => {
        rest = [...rest, part]
        restLength += part.length
      }
      const blank = (line: Uint8Array) => line.every((byte) => byte === 32 || byte === 9 || byte === 13)
      const pieces = bytes.pipe(
        Stream.mapEffect((chunk) => {
          const lines: Uint8Array[] = []
          let from = 0
          for (let end = chunk.indexOf(10, from); end !== -1; end = chunk.indexOf(10, from)) {
            push(chunk.subarray(from, end))
            if (restLength > maxBytes) return Effect.fail(tooLarge())
            lines.push(take())
            from = end + 1
          }
          if (from < chunk.length) push(chunk.subarray(from))
          return restLength > maxBytes ? Effect.fail(tooLarge()) : Effect.succeed(lines)
        }),
        Stream.flatMap(Stream.fromIterable)
      )
      return Stream.concat(
        pieces,
        Stream.suspend(() => (restLength === 0 ? Stream.empty : Stream.succeed(take())))
      ).pipe(Stream.filter((line) => !blank(line)))
    })

const badFile = (code: string, message: string) =>
  new BadRequest({ reason: "invalid_file", issues: [{ path: "file", code, message }] })

/** What surrounds a file is small; what counts is the file. */
const maxEnvelopeBytes = 65_536
const maxParts = 100

const readFile = Effect.fnUntraced(function* (request: AppRequest, maxBytes: number) {
  if (mediaType(request) !== "multipart/form-data") return yield* unsupported()
  const maxTotal = maxBytes + maxEnvelopeBytes
  if (announcedTooLarge(request, maxTotal)) return yield* tooLarge()
  const found = yield* request.whole().multipartStream.pipe(
    Stream.mapEffect((part): Effect.Effect<readonly UploadedFile[], Multipart.MultipartError> => {
      if (part._tag !== "File") return Effect.succeed([])
      if (part.key !== "file") return Effect.as(Stream.runDrain(part.content), [])
      return Effect.map(collect(part.content, maxBytes), (bytes) => [
        { filename: part.name, content_type: part.contentType, bytes }
      ])
    }),
    Stream.flatMap(Stream.fromIterable),
    Stream.runCollect,
    // A JSON document is a file like any other.
    Effect.provideService(Multipart.FieldMimeTypes, []),
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(maxTotal)),
    Effect.provideService(Multipart.MaxParts, maxParts),
    Effect.catchTag("MultipartError", (error): Effect.Effect<never, BadRequest | TooLarge> =>
      error.reason._tag.endsWith("TooLarge")
        ? Effect.fail(tooLarge())
        : Effect.fail(badFile("invalid_multipart", "The multipart body could not be read"))
    )
  )
  const file = found[0]
  if (file === undefined || found.length > 1)
    return yield* badFile("required", "Expected exactly one file in the field file")
  const digest = yield* Digest
  const hash = Effect.flatMap(digest.sha256Hex(file.bytes), (content) =>
    digest.sha256Hex(`${content} ${file.filename}`)
  )
  return { value: file, sent: undefined, hash }
})

const collect = <R>(content: Stream.Stream<Uint8Array, Multipart.MultipartError, R>, maxBytes: number) =>
  Effect.suspend(() => {
    const parts: Uint8Array[] = []
    let size = 0
    return content.pipe(
      Stream.runForEach((part) => {
        size += part.length
        if (size > maxBytes) return Effect.fail(Multipart.MultipartError.fromReason("FileTooLarge"))
        parts.push(part)
        return Effect.void
      }),
      Effect.map(() => joinBytes(parts))
    )
  })
