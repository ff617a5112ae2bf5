import type { Issue, Reason } from "@gatewarden/contract/internal"

/** What `admit`, `settle` and the other methods of an instance reject with when they refuse: status, reason and issues as over HTTP. */
export class GatewardenRefusal extends Error {
  override readonly name = "GatewardenRefusal"
  /** The HTTP status of the same refusal. */
  readonly status: number
  /** What it means and what to do about it: [errors](errors.md). */
  readonly reason: Reason
  /** Each broken rule with the field that broke it. */
  readonly issues: readonly Issue[]

  constructor({
    status,
    reason,
    issues = [],
    cause
  }: {
    readonly status: number
    readonly reason: Reason
    readonly issues?: readonly Issue[] | undefined
    readonly cause?: unknown
  }) {
    super(
      `${status} ${reason}${issues.map(({ path, message }) => `; ${path}: ${message}`).join("")}`,
      cause === undefined ? undefined : { cause }
    )
    this.status = status
    this.reason = reason
    this.issues = issues
  }
}
