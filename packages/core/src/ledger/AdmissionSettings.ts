/** How an installation estimates the maximum cost of a request. Rule: money#holds. */
import { Context } from "effect"

export interface AdmissionLimits {
  /** Completion tokens that are held and granted if a request sets no limit. */
  readonly completion_ceiling: number
  /** The number of attempts of a data plane that providers may bill. */
  readonly billed_attempts: number
  /** USD to hold for a request whose cost at an endpoint cannot be bounded; `null`: such an endpoint is removed. */
  readonly unpriced_ceiling_usd: string | null
}

export const AdmissionSettings = Context.Reference<AdmissionLimits>("gatewarden/AdmissionSettings", {
  defaultValue: () => ({ completion_ceiling: 4096, billed_attempts: 1, unpriced_ceiling_usd: null })
})
