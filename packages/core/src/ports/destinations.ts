import type { Destination } from "@gatewarden/contract/internal"
import { Context, type Effect, type Option } from "effect"
import type { Oversized } from "./limits.ts"
import { type Page, type PageRequest } from "../value/Page.ts"

export interface StoredDestination {
  /** With the masked config. */
  readonly destination: Destination
  /** The real config, encrypted. */
  readonly sealed_config: Uint8Array
  /** What was recorded until then, in epoch milliseconds, was for another host and is not delivered; `null` while the host is the first one. */
  readonly receives_since: number | null
}

/** Puts a config in the place of the one that it was made from. */
export interface ReplacedConfig {
  /** The ciphertext that was read. If the row has another one, nothing is written. */
  readonly replaces: Uint8Array
  readonly config: Destination["config"]
  readonly sealed_config: Uint8Array
  /** The address has another host: `receives_since` becomes the time of the change, and the dead letters are removed. */
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
     * Applies a change, and moves `updated_at` if that changes a stored value. `superseded`: another request has replaced the config
     * that `replaced` was made from; nothing was written.
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
