/** Why an event cannot be recorded: the field and what is wrong with it. */
import type { Issue, ReasonOf } from "@gatewarden/contract"

export interface Refusal {
  readonly reason: ReasonOf<400>
  readonly issue: Issue
}

export interface RefusedEvent extends Refusal {
  readonly index: number
}

/** `path`: within the event. */
export const refusal = (reason: ReasonOf<400>, path: string, message: string, code: string = reason): Refusal => ({
  reason,
  issue: { path, code, message }
})
