/** The answer to a request that may not be made, without the `doc_url` of its reason. Rule: admissions#denials. */
import type { Availability, ErrorStatus, Reason, ReasonOf } from "@gatewarden/contract"

export interface Refusal {
  readonly status: ErrorStatus
  readonly reason: Reason
  readonly message: string
  readonly metadata?: Readonly<Record<string, unknown>>
  /** If no endpoint is left. Rule: admissions#availability. */
  readonly availability?: Omit<Availability, "docs_url">
}

/** With a reason of the status; no other compiles. */
export const refusalWith = <S extends ErrorStatus>(
  status: S,
  reason: ReasonOf<S>,
  message: string,
  metadata?: Refusal["metadata"]
): Refusal => ({ status, reason, message, ...(metadata === undefined ? {} : { metadata }) })
