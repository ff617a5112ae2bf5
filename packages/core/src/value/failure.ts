/**
 * The closed union of failures. An operation fails only with errors that a caller can act on; the transport prints them.
 *
 * Rule: errors#envelope, errors#messages.
 */
import type { ErrorStatus, Issue, ReasonOf } from "@gatewarden/contract/internal"
import { Data } from "effect"

interface Details<S extends ErrorStatus> {
  readonly reason: ReasonOf<S>
  readonly issues?: readonly Issue[]
}

interface Retry<S extends ErrorStatus> extends Details<S> {
  readonly retryAfterSeconds: number
}

export class BadRequest extends Data.TaggedError("BadRequest")<Details<400>> {
  readonly status = 400 as const
}
export class Unauthorized extends Data.TaggedError("Unauthorized")<Details<401>> {
  readonly status = 401 as const
}
export class Forbidden extends Data.TaggedError("Forbidden")<Details<403> & { readonly text?: string }> {
  readonly status = 403 as const
}
export class NotFound extends Data.TaggedError("NotFound")<Details<404>> {
  readonly status = 404 as const
}
export class TimedOut extends Data.TaggedError("TimedOut")<Details<408>> {
  readonly status = 408 as const
}
export class Conflict extends Data.TaggedError("Conflict")<Details<409>> {
  readonly status = 409 as const
}
export class TooLarge extends Data.TaggedError("TooLarge")<Details<413>> {
  readonly status = 413 as const
}
export class UnsupportedMediaType extends Data.TaggedError("UnsupportedMediaType")<Details<415>> {
  readonly status = 415 as const
}
export class RateLimited extends Data.TaggedError("RateLimited")<Retry<429>> {
  readonly status = 429 as const
}
export class UpstreamFailed extends Data.TaggedError("UpstreamFailed")<Details<502>> {
  readonly status = 502 as const
}
export class Unavailable extends Data.TaggedError("Unavailable")<Retry<503>> {
  readonly status = 503 as const
}

export type Failure =
  | BadRequest
  | Unauthorized
  | Forbidden
  | NotFound
  | TimedOut
  | Conflict
  | TooLarge
  | UnsupportedMediaType
  | RateLimited
  | UpstreamFailed
  | Unavailable

/**
 * The resource does not exist for this caller; one of another account gets the same answer (Rule: errors#resources-of-other-accounts).
 */
export const notFound = () => new NotFound({ reason: "not_found" })

/** The same for a resource that the query or the body names; that of a path is named at the edge. */
export const notFoundAt = (path: string, kind: string) =>
  new NotFound({
    reason: "not_found",
    issues: [
      {
        path,
        code: "not_found",
        message: `This key sees no ${kind} with this id: it does not exist, was deleted, or is another account's`
      }
    ]
  })

/** An admission of another account gets the same as one that does not exist (Rule: errors#resources-of-other-accounts). */
export const unknownAdmission = () =>
  new NotFound({
    reason: "unknown_admission",
    issues: [
      {
        path: "path.id",
        code: "unknown_admission",
        message:
          "No admission of this account has this id. It was made with a key of another account, or by an installation with another keyring, or it was changed on the way: send the whole id of POST /gateway/admissions with the same account's key"
      }
    ]
  })

/** One violated rule of the input, found by an operation. */
export const invalid = (reason: ReasonOf<400>, path: string, message: string) =>
  new BadRequest({ reason, issues: [{ path, code: reason, message }] })

/** What the restrictions of a key forbid. Rule: access#restricted-keys. */
export const restrictedKey = (path: string, code: string, message: string) =>
  new Forbidden({ reason: "restricted_key", issues: [{ path, code, message }] })

/** A store adapter dies with this when its database does not answer. Nothing was committed. */
export class StoreUnavailable extends Data.TaggedError("StoreUnavailable")<{ readonly cause?: unknown }> {}

/** A file storage dies with this when it does not answer. Nothing that was stored before is lost. */
export class FileStorageUnavailable extends Data.TaggedError("FileStorageUnavailable")<{ readonly cause?: unknown }> {}

/** A store adapter dies with this when the connection broke while a change was being committed (Rule: errors#store-failures). */
export class OutcomeUnknown extends Data.TaggedError("OutcomeUnknown")<{ readonly cause?: unknown }> {}

/** Failures while a body is read: its bytes, its length, its speed, or too many other bytes in flight. */
export type BodyFailure = BadRequest | TooLarge | TimedOut | RateLimited | Unavailable
