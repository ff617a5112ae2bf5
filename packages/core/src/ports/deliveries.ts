import type { DeliveryOutcome } from "@gatewarden/contract"
import { Context, type Effect, type Option } from "effect"
import type { Page, PageRequest } from "../value/Page.ts"
import type { EncryptionContext } from "../vault/Vault.ts"
import type { WantedSlots } from "./limits.ts"
import type { UsageEvent } from "./usage.ts"

export interface DeadLetter extends NewDeadLetter {
  readonly destination_id: string
  readonly account_id: string
  readonly workspace_id: string
  /** Epoch milliseconds. */
  readonly died_at: number
}

/** The table, field and row to which the bodies of a dead letter are bound. */
export const contextOfDeadBodies = (
  letter: Pick<DeadLetter, "account_id" | "workspace_id" | "destination_id" | "event_id">
): EncryptionContext => ({
  table: "dead_letter",
  field: "bodies",
  account_id: letter.account_id,
  workspace_id: letter.workspace_id,
  row_id: `${letter.destination_id} ${letter.event_id}`
})

/** A dead letter that is to be sent again. */
export interface RequeuedLetter {
  readonly event_id: string
  /** Encrypted for the stream (`sealBodies`). */
  readonly sealed_bodies: Uint8Array | null
}

/** Events that a destination did not accept: kept with what is needed to send them again. Rule: observability#dead-letters. */
export class DeadLetters extends Context.Service<
  DeadLetters,
  {
    /** The dead letters of a destination without their bodies, the latest first. */
    readonly list: (
      account_id: string,
      destination_id: string,
      page: PageRequest
    ) => Effect.Effect<Page<Omit<DeadLetter, "sealed_bodies">>>
    /** Those of these events that there are, in the order asked, until their encrypted bodies have so many bytes in all; at least one. */
    readonly find: (
      account_id: string,
      destination_id: string,
      event_ids: readonly string[],
      bytes: number
    ) => Effect.Effect<readonly DeadLetter[]>
    /** The ids of the events that died until an instant, the oldest first, at most so many. */
    readonly diedUntil: (
      account_id: string,
      destination_id: string,
      until: string,
      limit: number
    ) => Effect.Effect<readonly string[]>
    /**
     * Puts events at the end of the stream, for this destination alone, in the order given, and removes the dead letters, all or nothing. Those
     * that are no longer there are left out. Answers how many were put.
     */
    readonly requeue: (
      account_id: string,
      destination_id: string,
      letters: readonly RequeuedLetter[],
      now: string
    ) => Effect.Effect<number>
  }
>()("gatewarden/DeadLetters") {}

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

/**
 * What the owner of a destination sees of its deliveries: the last attempts, and what waits. `DeliveryQueue` writes it.
 *
 * Rule: observability#delivery-log.
 */
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

/** The lease of a destination. */
export interface DeliveryLease {
  readonly destination_id: string
  readonly account_id: string
  readonly workspace_id: string
  /** Grows with each turn. A turn with an older token has lost its lease. */
  readonly token: number
  /** Attempts that failed in a row before this turn. */
  readonly failures: number
  /** When the first of them failed, in epoch milliseconds; `null` without one. */
  readonly failing_since: number | null
  /** Events that the platform refused before this turn since it last accepted one. */
  readonly refusals: number
  /** The circuit breaker is open: this turn may send one request, to find out whether the platform accepts again. */
  readonly is_open: boolean
}

/** What to claim: destinations that deliver, and those whose breaker is open, which get a small part of the slots. */
export interface WantedTurns {
  readonly closed: WantedSlots
  readonly open: WantedSlots
}

export interface WaitingEvent {
  /** Where the event lies in the stream. */
  readonly position: string
  /** When it was recorded, or put into the stream again, in epoch milliseconds. */
  readonly waiting_since: number
  readonly event: UsageEvent
  readonly api_key_name: string | null
  readonly sealed_bodies: Uint8Array | null
}

export interface WaitingBatch {
  /** The destination exists, is enabled, and its workspace did not turn delivery off. Otherwise what waits is passed over. */
  readonly receives: boolean
  readonly events: readonly WaitingEvent[]
  /** Where to read on; `null` when nothing is left that was noticed. */
  readonly position: string | null
}

export interface BatchLimits {
  readonly events: number
  /** About: of encrypted bodies, traces and tags. One event is read even if it is larger. */
  readonly bytes: number
}

/** An event that the platform refuses, or that nobody accepted in time. */
export interface NewDeadLetter {
  readonly event_id: string
  /** Of the last answer; `null` without one. */
  readonly status: number | null
  /** Words of Gatewarden. */
  readonly message: string
  /** Encrypted for the table of dead letters. */
  readonly sealed_bodies: Uint8Array | null
}

/**
 * What became of a batch: `delivered` whole; `partly` or not at all, because the platform `refused` events; `failed` and to be tried
 * again.
 */
export type AttemptOutcome = DeliveryOutcome

/** One batch that was sent, in as many requests as the platform needs. The store keeps the last of each destination. */
export interface DeliveryAttempt {
  readonly outcome: AttemptOutcome
  /** In the batch, accepted, and refused for good. */
  readonly events: number
  readonly accepted: number
  readonly refused: number
  /** Spans that the platform left out of what it accepted, without naming them. */
  readonly rejected_spans: number
  readonly duration_ms: number
  /** Of the last answer. */
  readonly status: number | null
  readonly message: string | null
}

/** How a platform answered last, for the owner of the destination: its status, and words of Gatewarden. */
export interface LastAnswer {
  readonly status: number | null
  readonly message: string | null
}

export interface Acknowledgement {
  /** The new position. What lies before it and waits for no other destination is removed. */
  readonly position: string
  /** Events that the platform accepted. More than 0 ends a row of failures and closes the breaker. */
  readonly accepted: number
  readonly dead: readonly NewDeadLetter[]
  readonly answer: LastAnswer | undefined
  /** With the last acknowledgement of a batch. */
  readonly attempt: DeliveryAttempt | undefined
}

/** How a turn ends. `drained` and `unfinished` differ in nothing that the store does not know: what waits is due at once. */
export type TurnEnd =
  | { readonly kind: "released" }
  | {
      readonly kind: "failed"
      /** Its status and message are the last answer. */
      readonly attempt: DeliveryAttempt
      readonly due_in_seconds: number
      readonly is_open: boolean
    }

/** A platform that refused so many events, and accepted none since, refuses everything. */
export const refusalsUntilRefusing = 3

/** How a destination is doing. */
export interface DeliveryState {
  readonly destination_id: string
  readonly account_id: string
  readonly workspace_id: string
  /** Events that were delivered, and that became dead letters, since the destination exists. */
  readonly delivered: number
  readonly dead: number
  readonly failures: number
  readonly failing_since: number | null
  /** Events that the platform refused since it last accepted one, and since when: refused events become dead letters, and are no failure. */
  readonly refusals: number
  readonly refusing_since: number | null
  readonly is_open: boolean
  /** When it is tried next, in epoch milliseconds; `null` when nothing waits. */
  readonly due_at: number | null
  readonly last_at: number | null
  readonly last_status: number | null
  readonly last_message: string | null
  /** When the platform last accepted an event. */
  readonly delivered_at: number | null
}

/** Destinations of one type that wait for their turn, or whose platform refuses everything. */
export interface WaitingDestinations {
  readonly type: string
  /** Something waits for them. Of these: the last attempt failed, and the breaker is open. */
  readonly waiting: number
  readonly failing: number
  readonly open: number
  /** The platform refuses everything, whether something waits or not. */
  readonly refusing: number
}

/** For those who watch an installation. */
export interface DeliveryBacklog {
  /** Events in the stream, up to 100,000. */
  readonly waiting: number
  /** When the oldest of them was recorded, in epoch milliseconds; `null` without one. */
  readonly oldest_at: number | null
  /** By type, in alphabetical order; types for which nothing waits are left out. */
  readonly destinations: readonly WaitingDestinations[]
  /** Of the store. */
  readonly now: number
}

/**
 * What waits to be delivered: a stream of selected events, written with them, and for each destination a position in it.
 *
 * An event is waiting for a destination while the destination's position is before it, so nothing is written for each destination and
 * event. One process at a time works for a destination, under a lease that is fenced by a token as in `BackgroundJobs`; it moves the position
 * once the platform has accepted what lies before. Delivery is thus at least once, and in the order of the stream.
 *
 * `notice` finds the destinations for which something waits. It reads each row of the stream once, so the cost of an idle installation does
 * not depend on how many destinations it has.
 *
 * Rule: observability#delivery.
 */
export class DeliveryQueue extends Context.Service<
  DeliveryQueue,
  {
    /**
     * Reads the stream after a position, as far as it was committed, and marks the destinations of its events as due. `null`: from the
     * beginning. Answers how many events it has read; with fewer than `limit` it has read all. Marking twice does no harm.
     */
    readonly notice: (
      position: string | null,
      limit: number
    ) => Effect.Effect<{ readonly position: string | null; readonly noticed: number }>
    /**
     * Takes the leases of destinations that are due and free: of each account the one that is due for the longest time, then the second of
     * each, up to the share of each. A claim may overlook accounts behind a thousand destinations; one that takes something is repeated.
     */
    readonly claim: (wanted: WantedTurns, leaseSeconds: number) => Effect.Effect<readonly DeliveryLease[]>
    /** The next events of the turn's destination, after its position or a later one. None when the lease is lost. */
    readonly read: (
      turn: DeliveryLease,
      after: string | null,
      limits: BatchLimits
    ) => Effect.Effect<Option.Option<WaitingBatch>>
    /** Moves the position and extends the lease, in one transaction with dead letters. `false`, and nothing happens: the lease was lost. */
    readonly acknowledge: (
      turn: DeliveryLease,
      acknowledgement: Acknowledgement,
      leaseSeconds: number
    ) => Effect.Effect<boolean>
    /** Gives the lease back. `false`: it was lost before. */
    readonly release: (turn: DeliveryLease, end: TurnEnd) => Effect.Effect<boolean>
    /** None where nothing was ever recorded for the destination. */
    readonly stateOf: (account_id: string, destination_id: string) => Effect.Effect<Option.Option<DeliveryState>>
    readonly backlog: Effect.Effect<DeliveryBacklog>
  }
>()("gatewarden/DeliveryQueue") {}
