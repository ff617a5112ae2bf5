import type { Issue, Reason } from "@gatewarden/contract"

/** What an operation of the Promise door rejects with when it refuses: the same status, reason and issues as over HTTP. */
export class GatewardenRefusal extends Error {
  override readonly name = "GatewardenRefusal"
  readonly status: number
  readonly reason: Reason
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
