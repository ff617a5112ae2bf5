/** An objection to a request or a candidate, as rules, filters, budgets and rate limits report it to the decision. */
import type { AdmissionReason, PolicyEdit } from "@gatewarden/contract"

/** A reason, and the edit that would remove it; `null` if no edit does. */
export interface Objection {
  readonly reason: AdmissionReason
  readonly edit: PolicyEdit | null
}
