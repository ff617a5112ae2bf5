/** Why an event cannot be recorded: the field and what is wrong with it. */
import type { Issue, Reason } from "@gatewarden/contract"

export interface Refusal {
  readonly reason: Reason
  readonly issue: Issue
}

export interface RefusedEvent extends Refusal {
  readonly index: number
}

/** `path`: within the event. */
export const refusal = (reason: Reason, path: string, message: string, code: string = reason): Refusal => ({
  reason,
  issue: { path, code, message }
})
