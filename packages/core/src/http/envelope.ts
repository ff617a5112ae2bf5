/**
 * The error envelope of the public API, with details in `metadata`.
 *
 * Rule: errors#envelope.
 */
import {
  type ErrorEnvelope,
  type ErrorStatus,
  type Issue,
  type Reason,
  type ReasonOf,
  errorMessages,
  maxIssues
} from "@gatewarden/contract/internal"
import { Cause, Effect } from "effect"
import {
  type Failure,
  FileStorageUnavailable,
  OutcomeUnknown,
  StoreUnavailable,
  Unavailable
} from "../value/failure.ts"

export interface Printed {
  readonly status: ErrorStatus
  readonly reason: Reason
  readonly issues?: readonly Issue[] | undefined
  /** Replaces the status' own text, for denials. */
  readonly text?: string | undefined
}

/** `docs`: what `doc_url` begins with, as `errorDocsFor` has it. */
export const envelope = (failure: Printed, requestId: string, docs: string): ErrorEnvelope => ({
  error: {
    code: failure.status,
    message: failure.text ?? errorMessages[failure.status],
    metadata: {
      request_id: requestId,
      reason: failure.reason,
      doc_url: docs + failure.reason,
      issues: (failure.issues ?? []).slice(0, maxIssues)
    }
  }
})

export interface Refusal extends Printed {
  readonly retryAfterSeconds?: number
}

/**
 * Maps failures to error answers.
 *
 * Rule: errors#store-failures, errors#nothing-internal.
 *
 * The error answer for a cause. A defect is logged by name only, because its message may repeat submitted data.
 */
export const explainCause = (cause: Cause.Cause<Failure>): Effect.Effect<Refusal> => {
  for (const reason of cause.reasons) {
    if (Cause.isFailReason(reason)) {
      const failure = reason.error
      return Effect.succeed({
        status: failure.status,
        reason: failure.reason,
        issues: failure.issues,
        ...("text" in failure && failure.text !== undefined ? { text: failure.text } : {}),
        ...("retryAfterSeconds" in failure ? { retryAfterSeconds: failure.retryAfterSeconds } : {})
      })
    }
  }
  // The client has disconnected and reads no answer, or the process ends.
  if (Cause.hasInterruptsOnly(cause)) return Effect.succeed({ status: 503, reason: "draining", retryAfterSeconds: 1 })
  const defect = cause.reasons.find(Cause.isDieReason)?.defect
  const gone = goneReason(defect)
  if (gone !== undefined) return Effect.as(Effect.logError(gone), { status: 500, reason: gone } as const)
  if (defect instanceof OutcomeUnknown)
    return Effect.as(Effect.logError("outcome of a commit unknown"), {
      status: 500,
      reason: "outcome_unknown"
    } as const)
  return Effect.as(Effect.logError("unexpected failure", { defect: describeDefect(defect) }), {
    status: 500,
    reason: "unexpected_failure"
  } as const)
}

/** Name and location of a defect, without its message, because messages of parsers and databases repeat submitted data. */
const describeDefect = (defect: unknown): Record<string, string> => {
  if (!(defect instanceof Error)) return { name: typeof defect }
  // A line break is no white space here: a message with a long run of them would take time by the square of its length.
  const place = /\n[^\S\n]+at (.+)/.exec(defect.stack ?? "")?.[1]
  return { name: defect.name, ...(place === undefined ? {} : { place }) }
}

/** Operations that declare 503 answer it with `Retry-After` where others answer 500 (Rule: errors#store-failures). */
export const asUnavailable = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | Unavailable, R> =>
  Effect.catchDefect(effect, (defect) => {
    const reason = goneReason(defect)
    if (reason === undefined) return Effect.die(defect)
    return Effect.andThen(Effect.logError(reason), Effect.fail(new Unavailable({ reason, retryAfterSeconds: 1 })))
  })

/** The part of the installation that does not answer; undefined for any other defect. */
const goneReason = (defect: unknown): (ReasonOf<500> & ReasonOf<503>) | undefined => {
  if (defect instanceof StoreUnavailable) return "store_unavailable"
  return defect instanceof FileStorageUnavailable ? "file_storage_unavailable" : undefined
}
