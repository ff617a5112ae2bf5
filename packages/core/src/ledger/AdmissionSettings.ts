/** How an installation estimates what a request may cost. Rule: money#holds. */
import { Context } from "effect"

export interface AdmissionLimits {
  /** Completion tokens that are paid for when a request names no cap; it is granted no more. */
  readonly completion_ceiling: number
  /** How many attempts a data plane may make that providers bill. */
  readonly billed_attempts: number
  /** USD that a budget holds for a request whose cost at an endpoint nobody can bound; `null`: such an endpoint is refused. */
  readonly unpriced_ceiling_usd: string | null
}

export const AdmissionSettings = Context.Reference<AdmissionLimits>("gatewarden/AdmissionSettings", {
  defaultValue: () => ({ completion_ceiling: 4096, billed_attempts: 1, unpriced_ceiling_usd: null })
})
