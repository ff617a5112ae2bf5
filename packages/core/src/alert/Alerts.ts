/**
 * Alerts: recorded once for each crossing, and delivered to the channels that heard of it.
 *
 * An alert is one row, unique by account, kind, subject and crossing, so of any number of processes that detect the same crossing one
 * records it. Alerts of budgets are recorded by the ledger, in the step that records the warning; `detect` finds the others. Each channel
 * that hears the kind has a delivery of its own, which one process at a time works on under a lease.
 *
 * Rule: alerts#crossings, alerts#attempts, alerts#quiet-time.
 */
import type { AlertDelivery, AlertKind } from "@gatewarden/contract"
import { Context, type Effect } from "effect"
import type { WantedSlots } from "../limits/WantedSlots.ts"
import type { Page, PageRequest } from "../value/Page.ts"
import type { StoredAlertChannel } from "./AlertChannels.ts"

export interface Alert {
  readonly id: string
  readonly workspace_id: string
  readonly type: AlertKind
  readonly subject: string
  readonly data: Readonly<Record<string, unknown>>
  readonly created_at: string
}

export interface ListedAlert extends Alert {
  readonly deliveries: readonly AlertDelivery[]
}

/** The lease of a delivery. */
export interface AlertTurn {
  readonly account_id: string
  readonly alert: Alert
  readonly channel: StoredAlertChannel
  /** Grows with each turn. A turn with an older token has lost its lease. */
  readonly token: number
  /** Attempts before this one. */
  readonly attempts: number
  /** The last attempt of the channel failed, with this alert or another one. */
  readonly is_failing: boolean
  /** Seconds since the alert was recorded, or since the channel was made if that is later. */
  readonly age_seconds: number
}

/** What to claim, in messages: of channels that are well, and of those whose last attempt failed, which get a small part of the slots. */
export interface WantedAlerts {
  readonly well: WantedSlots
  readonly failing: WantedSlots
  /** Channels to which something is being sent: the next claim is for them. */
  readonly busy: ReadonlySet<string>
}

/** `retry`: what waits for the channel is not tried before so many seconds have passed. */
export type AlertOutcome =
  | { readonly kind: "delivered"; readonly status: number | null; readonly message: string | null }
  | {
      readonly kind: "retry" | "failed"
      readonly status: number | null
      /** Bounded, and without secrets. */
      readonly message: string
      readonly due_in_seconds: number
    }

export class Alerts extends Context.Service<
  Alerts,
  {
    readonly list: (
      account_id: string,
      filter: { readonly workspace_id: string },
      page: PageRequest
    ) => Effect.Effect<Page<ListedAlert>>
    /** Records alerts of keys that are about to expire and of dead destinations, at most so many; answers how many. */
    readonly detect: (atMost: number) => Effect.Effect<number>
    /**
     * Takes deliveries that are due, as `claimFairly` chooses, the earliest due first. Those that quiet time silences, and those of channels
     * that were deleted or disabled, end instead; those that wait for the outcome of one alike are postponed. A claim may overlook accounts
     * behind a thousand deliveries; one that takes something is repeated.
     */
    readonly claim: (wanted: WantedAlerts, leaseSeconds: number) => Effect.Effect<readonly AlertTurn[]>
    /** Ends a turn. What waited for its outcome becomes due when it ends for good. `false`, and nothing happens: the lease was lost. */
    readonly settle: (turn: AlertTurn, outcome: AlertOutcome) => Effect.Effect<boolean>
  }
>()("gatewarden/Alerts") {}

/** A key is alerted of so many days before it expires, if it was made to live longer. */
export const expiryDays = [7, 1] as const

/** A delivery that waits for one alike is postponed by this at least. */
export const quietWaitSeconds = 1

/** How long a destination fails until it counts as dead. */
export const failingSeconds = 3_600

/** The same for a platform that refuses everything: time heals no refusal. */
export const refusingSeconds = 300
