/** Events that a destination did not accept: kept with what is needed to send them again. Rule: observability#dead-letters. */
import { Context, type Effect } from "effect"
import type { Page, PageRequest } from "../value/Page.ts"
import type { SecretPlace } from "../vault/Vault.ts"
import type { NewDeadLetter } from "./DeliveryQueue.ts"

export interface DeadLetter extends NewDeadLetter {
  readonly destination_id: string
  readonly account_id: string
  readonly workspace_id: string
  /** Epoch milliseconds. */
  readonly died_at: number
}

/** The table, field and row to which the bodies of a dead letter are bound. */
export const placeOfDeadBodies = (
  letter: Pick<DeadLetter, "account_id" | "workspace_id" | "destination_id" | "event_id">
): SecretPlace => ({
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

export class DeadLetters extends Context.Service<
  DeadLetters,
  {
    /** The dead letters of a destination without their bodies, the latest first. */
    readonly list: (
      account_id: string,
      destination_id: string,
      page: PageRequest
    ) => Effect.Effect<Page<Omit<DeadLetter, "sealed_bodies">>>
    /** Those of these events that there are. */
    readonly find: (
      account_id: string,
      destination_id: string,
      event_ids: readonly string[]
    ) => Effect.Effect<readonly DeadLetter[]>
    /** The dead letters that died until an instant, the oldest first, at most so many. */
    readonly diedUntil: (
      account_id: string,
      destination_id: string,
      until: string,
      limit: number
    ) => Effect.Effect<readonly DeadLetter[]>
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
