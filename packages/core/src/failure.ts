/**
 * The closed union of failures. An operation fails only with errors that a caller can act on; the transport prints them.
 *
 * Rule: errors#envelope, errors#messages.
 */
import type { Issue, Reason } from "@gatewarden/contract"
import { Data } from "effect"

interface Details {
  readonly reason: Reason
  readonly issues?: readonly Issue[]
}

interface Retry extends Details {
  readonly retryAfterSeconds: number
}

export class BadRequest extends Data.TaggedError("BadRequest")<Details> {
  readonly status = 400 as const
}
export class Unauthorized extends Data.TaggedError("Unauthorized")<Details> {
  readonly status = 401 as const
}
export class Forbidden extends Data.TaggedError("Forbidden")<Details & { readonly text?: string }> {
  readonly status = 403 as const
}
export class NotFound extends Data.TaggedError("NotFound")<Details> {
  readonly status = 404 as const
}
export class TimedOut extends Data.TaggedError("TimedOut")<Details> {
  readonly status = 408 as const
}
export class Conflict extends Data.TaggedError("Conflict")<Details> {
  readonly status = 409 as const
}
export class TooLarge extends Data.TaggedError("TooLarge")<Details> {
  readonly status = 413 as const
}
export class UnsupportedMediaType extends Data.TaggedError("UnsupportedMediaType")<Details> {
  readonly status = 415 as const
}
export class RateLimited extends Data.TaggedError("RateLimited")<Retry> {
  readonly status = 429 as const
}
export class UpstreamFailed extends Data.TaggedError("UpstreamFailed")<Details> {
  readonly status = 502 as const
}
export class Unavailable extends Data.TaggedError("Unavailable")<Retry> {
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
 * The resource does not exist for this caller; one of another account gets the same answer (Rule: errors#absent-and-foreign).
 */
export const notFound = () => new NotFound({ reason: "not_found" })

/** One violated rule of the input, found by an operation. */
export const invalid = (reason: Reason, path: string, message: string) =>
  new BadRequest({ reason, issues: [{ path, code: reason, message }] })

/** A store adapter dies with this when its database does not answer. Nothing was committed. */
export class StoreUnavailable extends Data.TaggedError("StoreUnavailable")<{ readonly cause?: unknown }> {}

/** A file storage dies with this when it does not answer. Nothing that was stored before is lost. */
export class FileStorageUnavailable extends Data.TaggedError("FileStorageUnavailable")<{ readonly cause?: unknown }> {}

/** A store adapter dies with this when the connection broke while a change was being committed (Rule: errors#store-failures). */
export class OutcomeUnknown extends Data.TaggedError("OutcomeUnknown")<{ readonly cause?: unknown }> {}

/** Failures while a body is read: its bytes, its length, its speed, or too many other bytes in flight. */
export type BodyFailure = BadRequest | TooLarge | TimedOut | RateLimited | Unavailable
