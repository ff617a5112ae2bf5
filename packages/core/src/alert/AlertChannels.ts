/** The alert channels of workspaces: the masked config in plain text, the real config encrypted. */
import type { AlertChannel } from "@gatewarden/contract"
import { Context, type Effect, type Option } from "effect"
import type { Page, PageRequest } from "../value/Page.ts"
import type { AlertChannelChange } from "./alertChannelChange.ts"

type Stored<Channel> = Channel extends unknown ? Omit<Channel, "unconfirmed_recipients"> : never

/** An alert channel without what its recipients did. */
export type ChannelFields = Stored<AlertChannel>

export interface StoredAlertChannel {
  /** With the masked config. */
  readonly channel: ChannelFields
  /** The real config, encrypted. */
  readonly sealed_config: Uint8Array
}

/** Puts a config in the place of the one that it was made from. */
export interface ReplacedChannelConfig {
  /** The ciphertext that was read. If the row has another one, nothing is written. */
  readonly replaces: Uint8Array
  readonly config: AlertChannel["config"]
  readonly sealed_config: Uint8Array
}

/** A new channel is told of at most so many budgets, and of as many other crossings. */
export const standingCrossings = 100

export class AlertChannels extends Context.Service<
  AlertChannels,
  {
    /**
     * `full`: the workspace has as many as it may; `missing`: it does not exist (any more). An enabled channel that was inserted gets a
     * delivery of each crossing that it hears of and that still holds, the latest ones, at most `standingCrossings`: of a budget the highest
     * threshold that it hears of. Rule: alerts#alerts-for-a-new-channel.
     */
    readonly insert: (
      account_id: string,
      channel: ChannelFields,
      sealed_config: Uint8Array
    ) => Effect.Effect<"inserted" | "full" | "missing">
    readonly find: (account_id: string, id: string) => Effect.Effect<Option.Option<StoredAlertChannel>>
    readonly list: (
      account_id: string,
      filter: { readonly workspace_id: string },
      page: PageRequest
    ) => Effect.Effect<Page<ChannelFields>>
    /**
     * Applies a change; `updated_at` becomes `now` exactly when a stored value changed. `superseded`: another request has replaced the
     * config that `replaced` was made from; nothing was written.
     */
    readonly update: (
      account_id: string,
      id: string,
      change: AlertChannelChange,
      replaced: ReplacedChannelConfig | undefined,
      now: string
    ) => Effect.Effect<ChannelFields | "missing" | "superseded">
    /** Deletes a channel with its ciphertext. False when there is none. */
    readonly remove: (account_id: string, id: string) => Effect.Effect<boolean>
  }
>()("gatewarden/AlertChannels") {}
