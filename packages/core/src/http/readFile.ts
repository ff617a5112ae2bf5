/**
 * Reads the one file of a form as a stream, without buffering it.
 *
 * Rule: requests#order-of-checks. Source: RFC 7578. The parser is Effect's, which holds a part's headers and one chunk.
 */
import { ByteSize, Effect, Pull, Stream } from "effect"
import { HttpIncomingMessage, Multipart } from "effect/http"
import { BadRequest } from "../failure.ts"
import { Digest, hex } from "../platform/Digest.ts"
import { inPieces } from "../value/inPieces.ts"
import type { AppRequest } from "./AppRequest.ts"
import type { BodyFailure } from "../failure.ts"
import type { BodyLimits } from "./BodyLimits.ts"
import type { HeldBytes } from "./BytesInFlight.ts"
import type { UploadedFile } from "../file/UploadedFile.ts"
import type { ReadBody } from "./readBody.ts"
import { announcedLength, arriving, counted, tooLarge } from "./receiveBody.ts"

/** Limit for the form around the file, which is small. */
const maxEnvelopeBytes = 65_536
const maxParts = 100

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
      // Within a part's content the parser treats every failure as its own.
      let broke: BodyFailure | undefined
      const refusal = (error: Multipart.MultipartError | BodyFailure): BodyFailure => {
        if (broke !== undefined) return broke
        if (error._tag !== "MultipartError") return error
        return error.reason._tag.endsWith("TooLarge")
          ? tooLarge()
          : badFile("invalid_multipart", "The multipart body could not be read")
      }
      const parts = yield* arriving(request, limits).pipe(
        counted(held, announced),
        Stream.mapError((failure) => (broke = failure)),
        Stream.pipeThroughChannel(Multipart.makeChannel<BodyFailure>(stringHeaders(request))),
        Stream.mapError(refusal),
        // A JSON document is a file like any other.
        Stream.provideService(Multipart.FieldMimeTypes, []),
        Stream.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(maxTotal)),
        Stream.provideService(Multipart.MaxParts, maxParts),
        Stream.toPull
      )
      const nextFile = filesOf(parts, refusal)
      const first = yield* nextFile
      if (first === undefined) return yield* notOneFile()
      const rest = Effect.flatMap(nextFile, (second) =>
        second === undefined
          ? Effect.void
          : Effect.andThen(
              Effect.andThen(
                drained(second, refusal),
                Effect.repeat(nextFile, { while: (more) => more !== undefined })
              ),
              Effect.fail(notOneFile())
            )
      )
      let isRead = false
      const content = Stream.suspend(() => {
        isRead = true
        return Stream.concat(
          atMost(maxBytes)(Stream.mapError(first.content, refusal)),
          Stream.unwrap(Effect.as(rest, Stream.empty))
        )
      })
      const isHashed = request.headers["idempotency-key"] !== undefined
      const read = isHashed ? yield* hashed(first.name, content) : { content, hash: Effect.succeed("") }
      const file: UploadedFile = { filename: first.name, content: read.content }
      return yield* Effect.tapError(use({ value: file, sent: undefined, hash: read.hash }), () =>
        isRead ? Effect.void : Stream.runDrain(content)
      )
    })
  )

const stringHeaders = ({ headers }: AppRequest): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))

type Parts = Pull.Pull<readonly Multipart.Part[], BodyFailure>
type Refusal = (error: Multipart.MultipartError) => BodyFailure

/** The next part that is a file in the field `file`; undefined if there is none. Skips other parts. */
const filesOf = (parts: Parts, refusal: Refusal): Effect.Effect<Multipart.File | undefined, BodyFailure> => {
  const found: Multipart.Part[] = []
  return Effect.gen(function* () {
    for (;;) {
      const part = found.shift()
      if (part === undefined) {
        const more = yield* Pull.catchDone(parts, () => Effect.succeed(undefined))
        if (more === undefined) return undefined
        found.push(...more)
      } else if (part._tag === "File") {
        if (part.key === "file") return part
        yield* drained(part, refusal)
      }
    }
  })
}

const drained = (part: Multipart.File, refusal: Refusal): Effect.Effect<void, BodyFailure> =>
  Effect.mapError(Stream.runDrain(part.content), refusal)

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
    Effect.map(isRead ? Effect.void : Effect.ignore(Stream.runDrain(passing)), () => hex(chain))
  )
  return { content: passing, hash }
})
