/**
 * What the owner of a destination sees of its deliveries: the last attempts, and what waits. `DeliveryQueue` writes it.
 *
 * Rule: observability#delivery-log.
 */
import { Context, type Effect } from "effect"
import type { Page, PageRequest } from "../value/Page.ts"
import type { AttemptOutcome, DeliveryAttempt } from "./DeliveryQueue.ts"

/** How many attempts of a destination are kept. A later one takes the place of the oldest, so the log of a destination never grows. */
export const keptAttempts = 500

/** How many waiting events of a destination are counted. */
export const mostWaitingCounted = 10_000

export interface LoggedAttempt extends DeliveryAttempt {
  /** Attempts of a destination are numbered from 1. */
  readonly number: number
  /** When it ended, in epoch milliseconds. */
  readonly ended_at: number
}

export interface AttemptsRequest extends PageRequest {
  readonly outcome?: AttemptOutcome | undefined
}

export interface WaitingEvents {
  /** At most `mostWaitingCounted`. */
  readonly waiting: number
  /** When the first of them was recorded, in epoch milliseconds; `null` without one. */
  readonly oldest_at: number | null
}

export class DeliveryLog extends Context.Service<
  DeliveryLog,
  {
    /** Attempts of a destination, the latest first: all of them, or those with one outcome. */
    readonly attempts: (
      account_id: string,
      destination_id: string,
      page: AttemptsRequest
    ) => Effect.Effect<Page<LoggedAttempt>>
    /** What a destination has not passed yet. */
    readonly waiting: (account_id: string, destination_id: string) => Effect.Effect<WaitingEvents>
  }
>()("gatewarden/DeliveryLog") {}
