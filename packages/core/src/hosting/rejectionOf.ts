/**
 * What a method of the Promise door rejects with.
 *
 * What HTTP would answer with a status of its own is a `GatewardenRefusal`; a defect is rejected with as it is, so that the host's
 * own reports show where it came from.
 */
import { Cause, Effect } from "effect"
import type { Failure } from "../failure.ts"
import { GatewardenRefusal } from "../GatewardenRefusal.ts"
import { explainCause } from "../http/explainCause.ts"

export const rejectionOf = (cause: Cause.Cause<Failure>): Effect.Effect<unknown> => {
  const defect = cause.reasons.find(Cause.isDieReason)?.defect
  return Effect.map(explainCause(cause), ({ status, reason, issues }) =>
    reason === "unexpected_failure" ? defect : new GatewardenRefusal({ status, reason, issues, cause: defect })
  )
}
