/**
 * Reads the one file of a form as a stream, without buffering it.
 *
 * Rule: requests#order-of-checks. Source: RFC 7578. The parser is Effect's, which holds a part's headers and one chunk; `effect/http` has
 * more around it, a hundred modules that every start of a host would wait for.
 */
import { Cause, Effect, Pull, Stream } from "effect"
import * as Hex from "effect/encoding/Hex"
import * as MultipartParser from "effect/http/MultipartParser"
import { BadRequest, type BodyFailure } from "../value/failure.ts"
import { Digest } from "../platform/Digest.ts"
import { inPieces } from "../value/bytes.ts"
import type { AppRequest } from "./AppRequest.ts"
import type { HeldBytes } from "./BytesInFlight.ts"
import type { BodyLimits } from "./BodyLimits.ts"
import type { UploadedFile } from "../file/file.ts"
import type { ReadBody } from "./readBody.ts"
import { announcedLength, arriving, counted, tooLarge } from "./receiveBody.ts"

/** Limit for the form around the file, which is small, and for each of its fields, which the parser holds as a whole. */
const maxEnvelopeBytes = 65_536
const maxParts = 100

/**
 * A boundary of more than 70 characters (RFC 2046, 5.1.1), quoted or not. The parser looks for it with `Buffer.indexOf`, which takes quadratic
 * time for contents that nearly match a long one.
 */
const longBoundary = /boundary=(?:[^;"\s]{71}|"(?:[^"\\]|\\.){71})/is

/** The digest of a file is a chain over its pieces, so that the file is never in memory as a whole. */
const hashedPieceSize = 65_536

const badFile = (code: string, message: string) =>
  new BadRequest({ reason: "invalid_file", issues: [{ path: "file", code, message }] })

const notOneFile = () => badFile("required", "Expected exactly one file in the field file")

/** Uses the file of a form, then reads the rest of the form to its end, because an error there takes precedence. */
export const withFile = <A, E, R>(
  request: AppRequest,
  maxBytes: number,
  limits: BodyLimits,
  held: HeldBytes,
  use: (read: ReadBody) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | BodyFailure, R> =>
  Effect.scoped(
    Effect.gen(function* () {
      const announced = announcedLength(request)
      const maxTotal = maxBytes + maxEnvelopeBytes
      if (announced !== undefined && announced > maxTotal) return yield* tooLarge()
      const chunks = yield* Stream.toPull(counted(held)(arriving(request, limits)))
      const next = eventsOf(chunks, stringHeaders(request), maxTotal)
      const nextFile = fileAmong(next)
      const first = yield* nextFile
      if (first === undefined) return yield* notOneFile()
      const rest = Effect.flatMap(nextFile, (second) =>
        second === undefined
          ? Effect.void
          : Effect.andThen(Effect.repeat(nextFile, { while: (more) => more !== undefined }), Effect.fail(notOneFile()))
      )
      let isRead = false
      const content = Stream.suspend(() => {
        isRead = true
        return Stream.concat(atMost(maxBytes)(contentFrom(next)), Stream.unwrap(Effect.as(rest, Stream.empty)))
      })
      const isHashed = request.headers["idempotency-key"] !== undefined
      const read = isHashed ? yield* hashed(first.filename, content) : { content, hash: Effect.succeed("") }
      const file: UploadedFile = { filename: first.filename, content: read.content }
      return yield* Effect.tapError(use({ value: file, sent: undefined, hash: read.hash }), () =>
        isRead ? Effect.void : Stream.runDrain(content)
      )
    })
  )

const stringHeaders = ({ headers }: AppRequest): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))

/** What a form has, in its order. Fields that are no files are left out. */
type FormEvent =
  | { readonly _tag: "File"; readonly field: string; readonly filename: string }
  | { readonly _tag: "Bytes"; readonly bytes: Uint8Array }
  | { readonly _tag: "End" }

/** The next of a form; undefined at its end. */
type NextEvent = Effect.Effect<FormEvent | undefined, BodyFailure>

/** Reads no more of the body than the next event needs. */
const eventsOf = (
  chunks: Pull.Pull<readonly Uint8Array[], BodyFailure>,
  headers: Record<string, string>,
  maxTotalSize: number
): NextEvent => {
  const events: FormEvent[] = []
  let isDone = false
  let failure = longBoundary.test(headers["content-type"] ?? "") ? unreadableForm() : undefined
  const parser = MultipartParser.make({
    headers,
    maxParts,
    maxFieldSize: maxEnvelopeBytes,
    maxTotalSize,
    onField: () => {},
    onFile: ({ name, filename = name }) => {
      events.push({ _tag: "File", field: name, filename })
      return (bytes) => void events.push(bytes === null ? { _tag: "End" } : { _tag: "Bytes", bytes })
    },
    onError: (error) => {
      failure ??= refusalOfForm(error)
    },
    onDone: () => {
      isDone = true
    }
  })
  return Effect.gen(function* () {
    for (;;) {
      const event = events.shift()
      if (event !== undefined) return event
      if (failure !== undefined) return yield* failure
      if (isDone) return undefined
      const more = yield* Pull.catchDone(chunks, () => Effect.succeed(undefined))
      for (const chunk of more ?? []) parser.write(chunk)
      if (more !== undefined) continue
      parser.end()
      isDone = true
    }
  })
}

const unreadableForm = (): BodyFailure => badFile("invalid_multipart", "The multipart body could not be read")

const refusalOfForm = (error: MultipartParser.MultipartError): BodyFailure =>
  error._tag === "ReachedLimit" && error.limit !== "MaxParts" ? tooLarge() : unreadableForm()

/** The next file in the field `file`; undefined if there is none. Skips other parts, and what was not read of the one before. */
const fileAmong = (next: NextEvent) =>
  Effect.gen(function* () {
    for (;;) {
      const event = yield* next
      if (event === undefined || (event._tag === "File" && event.field === "file")) return event
    }
  })

/** The bytes of the file that has begun. */
const contentFrom = (next: NextEvent): Stream.Stream<Uint8Array, BodyFailure> =>
  Stream.fromPull(
    Effect.succeed(
      Effect.flatMap(next, (event) => (event?._tag === "Bytes" ? Effect.succeed([event.bytes] as const) : Cause.done()))
    )
  )

const atMost =
  (maxBytes: number) =>
  (content: Stream.Stream<Uint8Array, BodyFailure>): Stream.Stream<Uint8Array, BodyFailure> =>
    Stream.suspend(() => {
      let size = 0
      return Stream.mapEffect(content, (chunk): Effect.Effect<Uint8Array, BodyFailure> => {
        size += chunk.length
        return size > maxBytes ? Effect.fail(tooLarge()) : Effect.succeed(chunk)
      })
    })

/** Computes the digest of a content while it is read; `hash` reads the rest if necessary. */
const hashed = Effect.fnUntraced(function* (filename: string, content: Stream.Stream<Uint8Array, BodyFailure>) {
  const digest = yield* Digest
  let chain = yield* digest.sha256(filename)
  let isRead = false
  const passing = inPieces(hashedPieceSize)(content).pipe(
    Stream.tap((piece) =>
      Effect.gen(function* () {
        const linked = new Uint8Array(chain.length + piece.length)
        linked.set(chain)
        linked.set(piece, chain.length)
        chain = yield* digest.sha256(linked)
      })
    ),
    Stream.onStart(Effect.sync(() => void (isRead = true)))
  )
  const hash = Effect.suspend(() =>
    Effect.map(isRead ? Effect.void : Effect.ignore(Stream.runDrain(passing)), () => Hex.encode(chain))
  )
  return { content: passing, hash }
})
