/** What stands against a request or a candidate, in the form in which rules, filters, budgets and rates bring it to a decision. */
import type { AdmissionReason, PolicyEdit } from "@gatewarden/contract"

/** A reason, and what would undo it; `null` when no edit does. */
export interface Objection {
  readonly reason: AdmissionReason
  readonly edit: PolicyEdit | null
}

/** The answer that filters or rate limits ask for when they object to a request as a whole. */
export interface Refusal {
  readonly status: number
  readonly message: string
  readonly metadata?: Readonly<Record<string, unknown>>
}
