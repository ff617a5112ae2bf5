/**
 * The bytes of a body as they arrive: counted, with a minimum speed, and with a failure if the body breaks off.
 *
 * Rule: requests#body-sizes, requests#bodies-in-flight. Every body that is not short, or has no announced length, passes here.
 */
import { Effect, Stream } from "effect"
import { BadRequest, type BodyFailure, TooLarge } from "../value/failure.ts"
import { GatheredBytes } from "../value/bytes.ts"
import { type AppRequest, type BodyProblem, paced, tooSlow } from "./AppRequest.ts"
import type { HeldBytes } from "./BytesInFlight.ts"
import type { BodyLimits } from "./BodyLimits.ts"

export const tooLarge = () => new TooLarge({ reason: "payload_too_large" })

export const invalidJson = (path: string, code: string, message: string) =>
  new BadRequest({ reason: "invalid_json", issues: [{ path, code, message }] })

/** A body that broke off, or exceeded its size or time limit. */
export const refusalOf = (problem: BodyProblem): BodyFailure => {
  if (problem === "too_large") return tooLarge()
  if (problem === "too_slow") return tooSlow()
  return invalidJson("", "unreadable_body", "The body could not be read to its end")
}

/** The announced length; undefined without one. */
export const announcedLength = ({ headers }: AppRequest): number | undefined => {
  const announced = headers["content-length"]
  return announced === undefined || headers["transfer-encoding"] !== undefined ? undefined : Number(announced)
}

/** `isNew`: as for `paced`. */
export const arriving = (
  request: AppRequest,
  limits: BodyLimits,
  isNew?: (chunk: Uint8Array) => boolean
): Stream.Stream<Uint8Array, BodyFailure> => paced(limits, isNew)(Stream.mapError(request.stream(), refusalOf))

/**
 * Counts the bytes of a body as they arrive: an announced length costs nothing, so it holds nothing. `free`: a body of at most so many bytes
 * is not counted.
 */
export const counted =
  (held: HeldBytes, free = 0) =>
  (body: Stream.Stream<Uint8Array, BodyFailure>): Stream.Stream<Uint8Array, BodyFailure> =>
    Stream.suspend(() => {
      let received = 0
      let covered = 0
      return Stream.mapEffect(body, (chunk): Effect.Effect<Uint8Array, BodyFailure> => {
        received += chunk.length
        if (received <= free) return Effect.succeed(chunk)
        const refused = held.take(received - covered)
        covered = received
        return refused === undefined ? Effect.succeed(chunk) : Effect.fail(refused)
      })
    })

/** A whole body of at most so many bytes. */
export const collected = (
  body: Stream.Stream<Uint8Array, BodyFailure>,
  maxBytes: number
): Effect.Effect<Uint8Array, BodyFailure> =>
  Effect.suspend(() => {
    const gathered = new GatheredBytes()
    return Effect.flatMap(
      Stream.runForEach(body, (part) => {
        gathered.add(part)
        return gathered.size > maxBytes ? Effect.fail(tooLarge()) : Effect.void
      }),
      () => gathered.takeInSlices()
    )
  })
