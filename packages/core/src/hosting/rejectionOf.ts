/**
 * The error that a Promise method rejects with.
 *
 * A failure with an HTTP status is a `GatewardenRefusal`. A defect is passed unchanged, so that the host's error reports show its origin.
 */
import { Cause, Effect } from "effect"
import type { Failure } from "../value/failure.ts"
import { GatewardenRefusal } from "./GatewardenRefusal.ts"
import { explainCause } from "../http/explainCause.ts"

export const rejectionOf = (cause: Cause.Cause<Failure>): Effect.Effect<unknown> => {
  const defect = cause.reasons.find(Cause.isDieReason)?.defect
  return Effect.map(explainCause(cause), ({ status, reason, issues }) =>
    reason === "unexpected_failure" ? defect : new GatewardenRefusal({ status, reason, issues, cause: defect })
  )
}
