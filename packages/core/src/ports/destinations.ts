import type { Destination } from "@gatewarden/contract/internal"
import { Context, type Effect, type Option } from "effect"
import type { Oversized } from "./limits.ts"
import { type Page, type PageRequest } from "../value/Page.ts"

export interface StoredDestination {
  /** With the masked config. */
  readonly destination: Destination
  /** The real config, encrypted. */
  readonly sealed_config: Uint8Array
  readonly receives_since: ReceivesSince
}

/**
 * When a destination was last allowed a part of what is recorded, in epoch milliseconds. It never gets that part of earlier events.
 * A part is absent while the destination was allowed it since it exists, or is not allowed it. `events`: the event itself.
 *
 * Rule: observability#selection, observability#new-addresses.
 */
export type ReceivesSince = {
  readonly [Part in "events" | "bodies" | "cost" | "identity" | "request_context"]?: number
}

/** The times after a change of a destination. `moves`: its address gets another host. */
export const changedSince = (
  { destination: stored, receives_since }: Pick<StoredDestination, "destination" | "receives_since">,
  change: DestinationChange,
  moves: boolean,
  now: string
): ReceivesSince => {
  const changed = { ...stored, ...change }
  const begins = (field: GroupField) => changed[field] && !stored[field]
  const begun = {
    events: moves || (changed.enabled && !stored.enabled),
    bodies: stored.privacy_mode && !changed.privacy_mode,
    cost: begins("broadcast_generation_cost"),
    identity: begins("broadcast_generation_identity"),
    request_context: begins("broadcast_generation_request_context")
  }
  const parts = Object.entries(begun).flatMap(([part, isBegun]) => (isBegun ? [[part, Date.parse(now)] as const] : []))
  return { ...receives_since, ...Object.fromEntries(parts) }
}

type GroupField = Extract<keyof Destination, `broadcast_generation_${string}`>

/** Puts a config in the place of the one that it was made from. */
export interface ReplacedConfig {
  /** The ciphertext that was read. If the row has another one, nothing is written. */
  readonly replaces: Uint8Array
  readonly config: Destination["config"]
  readonly sealed_config: Uint8Array
  /** The address has another host: `receives_since.events` becomes the time of the change, and the dead letters are removed. */
  readonly moves: boolean
}

/** The observability destinations: the masked config in plain text, the real config encrypted. */
export class Destinations extends Context.Service<
  Destinations,
  {
    /**
     * `config`: masked; `sealed_config`: encrypted, as it was sent. `full`: the workspace has the maximum number of destinations of this
     * type; `missing`: the workspace does not exist (any more).
     */
    readonly insert: (
      account_id: string,
      destination: Destination,
      sealed_config: Uint8Array
    ) => Effect.Effect<"inserted" | "full" | "missing">
    readonly find: (account_id: string, id: string) => Effect.Effect<Option.Option<StoredDestination>>
    readonly list: (
      account_id: string,
      filter: { readonly workspace_id: string },
      page: PageRequest
    ) => Effect.Effect<Page<Destination>>
    /**
     * Applies a change, and moves `updated_at` if that changes a stored value, and `receives_since` by `changedSince`. `superseded`: another
     * request has replaced the config that `replaced` was made from; nothing was written.
     */
    readonly update: (
      account_id: string,
      id: string,
      change: DestinationChange,
      replaced: ReplacedConfig | undefined,
      now: string
    ) => Effect.Effect<Destination | Oversized | "missing" | "superseded">
    /** The enabled destinations of a workspace, oldest first; none if the workspace turned delivery off. */
    readonly receiving: (account_id: string, workspace_id: string) => Effect.Effect<readonly Destination[]>
    /** Counts a replay of dead letters, so that it is a recorded change. False when there is no such destination. */
    readonly noteReplay: (account_id: string, id: string) => Effect.Effect<boolean>
    /** Deletes a destination with its ciphertext. False when there is none. */
    readonly remove: (account_id: string, id: string) => Effect.Effect<boolean>
  }
>()("gatewarden/Destinations") {}

/** What a request may set, except the config, which is merged. */
type DestinationFields = Omit<Destination, "id" | "workspace_id" | "type" | "config" | "created_at" | "updated_at">

/**
 * Maps the fields of a request to the stored values that they set. Rule: requests#patches.
 *
 * Only the fields that a request sets; absent ones stay.
 */
export type DestinationChange = { readonly [K in keyof DestinationFields]?: DestinationFields[K] }
