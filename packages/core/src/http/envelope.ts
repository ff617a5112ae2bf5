/**
 * The error envelope of the public API, with details in `metadata`.
 *
 * Rule: errors#envelope.
 */
import { type ErrorEnvelope, errorMessages, type ErrorStatus, type Issue, type Reason } from "@gatewarden/contract"

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
      issues: [...(failure.issues ?? [])]
    }
  }
})
